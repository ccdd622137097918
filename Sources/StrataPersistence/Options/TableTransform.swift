import Foundation
import StrataNormalization
import StrataStorage

/// What is done to the records of one table.
struct TableTransform<Entity: EntityType>: Sendable {
  var redactions: [@Sendable (inout Entity) -> Void] = []
  var seal: RecordSeal?

  /// Why a record is not written.
  struct IDChanged: Error, CustomStringConvertible {
    let description = "its redaction changed its ID"
  }

  /// The entity as it is to be written.
  func redacted(_ entity: Entity) throws(IDChanged) -> Entity {
    guard !redactions.isEmpty else { return entity }
    var kept = entity
    for redact in redactions { redact(&kept) }
    guard kept.id == entity.id else { throw IDChanged() }
    return kept
  }
}

extension TableTransform {
  /// Whether an entity is written as another one.
  func redacts(_ entity: Entity, to other: Entity) -> Bool {
    do { return try redacted(entity) == other } catch _ { return false }
  }
}

/// Whether records are sealed, or were.
enum RecordSeal: Sendable {
  /// They are to be sealed.
  case sealing(any RecordSealing)
  /// Sealed ones are opened; what is written is clear.
  case opening(any RecordSealing)

  var sealing: any RecordSealing {
    switch self {
    case .sealing(let sealing), .opening(let sealing): sealing
    }
  }

  /// By what new records are sealed.
  var forWriting: (any RecordSealing)? {
    if case .sealing(let sealing) = self { return sealing }
    return nil
  }
}
