import Foundation
import StrataJournal
import StrataNormalization

/// How the records of one table are changed on their way into the file.
struct TableTransform<Entity: EntityType>: Sendable {
  var redactions: [@Sendable (inout Entity) -> Void] = []
  var seal: RecordSeal?

  /// The redaction of an entity changed its ID, so its record is not written.
  struct IDChanged: Error, CustomStringConvertible {
    let description = "its redaction changed its ID"
  }

  /// The entity as it is written.
  func redacted(_ entity: Entity) throws(IDChanged) -> Entity {
    guard !redactions.isEmpty else { return entity }
    var redacted = entity
    for redact in redactions { redact(&redacted) }
    guard redacted.id == entity.id else { throw IDChanged() }
    return redacted
  }
}

/// How sealed records of one table are opened, and whether new ones are sealed.
enum RecordSeal: Sendable {
  /// Sealed records are opened, and new ones are sealed.
  case sealing(any RecordSealing)
  /// Sealed records are opened, and new ones are written in clear.
  case opening(any RecordSealing)

  var sealing: any RecordSealing {
    switch self {
    case .sealing(let sealing), .opening(let sealing): sealing
    }
  }

  /// The sealing of new records; nil if they are written in clear.
  var forWriting: (any RecordSealing)? {
    if case .sealing(let sealing) = self { return sealing }
    return nil
  }
}
