import Foundation
import StrataBase
import StrataJournal

/// The snapshots that an archive has, and the next one to send.
struct SentSnapshots: Sendable {
  private(set) var newest: ArchiveSnapshot
  private var named: Set<Named> = []

  /// A name and the revision that it stands for.
  private struct Named: Hashable {
    let name: String
    let revision: Revision
  }

  init(_ first: ArchiveSnapshot) {
    newest = first
    add(first)
  }

  /// Nil if there is none.
  init?(_ snapshots: [ArchiveSnapshot]) {
    guard let first = snapshots.first else { return nil }
    self.init(first)
    for snapshot in snapshots { add(snapshot) }
  }

  mutating func add(_ snapshot: ArchiveSnapshot) {
    if newest.mark.revision < snapshot.mark.revision { newest = snapshot }
    for name in snapshot.names {
      named.insert(Named(name: name, revision: snapshot.mark.revision))
    }
  }

  /// The snapshot of a file to send next: one with a name that the archive lacks, or one that is new enough.
  ///
  /// - Parameters:
  ///   - last: How far the archive is.
  ///   - interval: By how much it must be newer than the newest one, if it has no name.
  func next(
    in view: ReadView,
    through last: Revision,
    every interval: Duration
  ) -> StoredSnapshot? {
    let candidates = view.verified.filter { $0.header.revision <= last }
    let unsent = candidates.first { snapshot in
      view.names.contains { name, revision in
        revision == snapshot.header.revision
          && !named.contains(Named(name: name, revision: revision))
      }
    }
    if let unsent { return unsent }
    return candidates.first { snapshot in
      let age = Date(microseconds: snapshot.header.time).timeIntervalSince(newest.time)
      return snapshot.header.revision > newest.mark.revision && .seconds(age) >= interval
    }
  }
}
