package import Foundation
package import StrataBase
import StrataRecords
import StrataSchema

extension EntityKey {
  /// The entry of an erased entity in the ledger: a hash from which its ID cannot be computed.
  ///
  /// A program that knows the ID, or guesses it, finds the entry.
  package func erasureMark(in store: UUID) -> Checksum {
    var bytes = store.byteArray
    bytes.appendText(table)
    bytes += id
    let hash = SHA256.hash(bytes)
    guard let mark = Checksum(bytes: Array(hash.prefix(Checksum.byteCount))) else {
      preconditionFailure("A hash of SHA-256 has 32 bytes.")
    }
    return mark
  }
}

/// An entity that was erased.
package struct Erasure: Sendable, Equatable {
  /// When it was erased.
  package let time: Date
  /// The last revision at that time.
  package let revision: Revision
}

extension ReadView {
  /// When an entity was erased the last time; nil if it was not.
  package func erasure(of candidates: [EntityKey]) throws -> Erasure? {
    let entries = try ErasureLedger.entries(on: journal.connection)
    if entries.isEmpty { return nil }
    let marks = Set(candidates.map { $0.erasureMark(in: identity.id) })
    guard
      let entry = entries.last(where: { entry in
        marks.contains(entry.entity) && candidates.contains { $0.table == entry.table }
      })
    else { return nil }
    return Erasure(time: Date(microseconds: entry.time), revision: Revision(entry.revision))
  }
}
