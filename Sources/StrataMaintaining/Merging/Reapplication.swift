import Foundation
import StrataBase
import StrataInspection
package import StrataJournal
import StrataRecords
import StrataSchema
import StrataStorage

/// Commits again what the last revisions of another file of a store changed, such as one that was set aside.
///
/// The two files have the same commits up to a revision. Three states of each entity are compared: the one at that
/// revision, the one at the end of the other file, and the present one of the store. An entity that the store still has as
/// at that revision gets the state of the other file; one that both have changed is a conflict. All of it becomes one
/// commit, or nothing is written.
package struct Reapplication: EntityMergeSource {
  private let source: String
  private let first: Revision?
  package let conflicts: EntityMerge.Conflicts
  private let references: ReferencePolicy

  /// - Parameters:
  ///   - source: The other file of the store.
  ///   - first: The first revision that only it has; nil to find it by the hashes of the two.
  package init(
    of source: String,
    from first: Revision? = nil,
    conflicts: EntityMerge.Conflicts = .refuse,
    references: ReferencePolicy = .refuse
  ) {
    self.source = source
    self.first = first
    self.conflicts = conflicts
    self.references = references
  }

  package func name(of result: EntityMerge.Result) -> String {
    let path = PathParts(source)
    let directory = PathParts(path.directory).name
    let name = directory.hasPrefix(path.name) ? directory : path.name
    let revisions = result.revisions.map { "\($0.lowerBound) to \($0.upperBound) " }.joined()
    return "reapply \(revisions)of \(name)"
  }
}

/// Finding.
extension Reapplication {
  package func merge(in store: ReadView) throws -> EntityMerge {
    try Inspector(path: source).query { other in
      var merge = EntityMerge()
      guard other.identity.id == store.identity.id else {
        merge.result.refusals.append("\(source) is a file of another store.")
        return merge
      }
      guard try migrations(of: other) == migrations(of: store) else {
        merge.result.refusals.append(
          """
          The migrations that ran on \(source) are not those of the store, so its records may have another shape: commit \
          them again through the program.
          """
        )
        return merge
      }
      guard let common = try first?.previous ?? commonRevision(of: other, and: store) else {
        merge.result.refusals.append(
          """
          \(source) and the store have no revision in common that both still know: name the first revision that only \
          \(source) has.
          """
        )
        return merge
      }
      guard common < other.last.revision else { return merge }
      merge.result.revisions = [common.next...other.last.revision]
      try add(to: &merge, from: other, after: common, store)
      return merge
    }
  }

  private func add(
    to merge: inout EntityMerge,
    from other: ReadView,
    after common: Revision,
    _ store: ReadView
  ) throws {
    let keys = try keys(changedAfter: common, in: other)
    let before = try other.records(keys, at: common)
    let after = try other.records(keys, at: other.last.revision)
    let now = try store.records(keys, at: store.last.revision)
    for key in keys.sorted(by: { $0.precedes($1) }) {
      let (old, new, present) = (before[key], after[key], now[key])
      // One that the revisions have added and removed, or changed and changed back.
      if try EntityMerge.Record.areEqual(old, new) { continue }
      var standing = EntityMerge.Change.Standing.conflict
      if try EntityMerge.Record.areEqual(new, present) {
        standing = .present
      } else if try EntityMerge.Record.areEqual(old, present) {
        standing = .applies
      }
      let kind: EntityMerge.Change.Kind =
        old == nil ? .added : new == nil ? .removed : .changed
      try merge.add(key, kind, new, now: present, standing)
    }
    guard references == .refuse else { return }
    try merge.refuseDangling(in: store) { ids, table in
      try other.present(ids, in: table, at: other.last.revision)
    }
  }

  /// What determines the shape of records: the names and numbers of the migrations.
  private func migrations(of view: ReadView) throws -> [String] {
    try DataLedger.entries(on: view.journal.connection).map { "\($0.number) \($0.name)" }
  }

  /// The last revision at which both files have the same chain.
  private func commonRevision(of other: ReadView, and store: ReadView) throws -> Revision? {
    var revision = other.last.revision.next
    while true {
      let headers = try other.journal.headers(before: revision, limit: 1_000)
      guard let last = headers.last else { break }
      for (header, hash) in headers where try store.chain(at: header.revision) == hash {
        return header.revision
      }
      revision = last.header.revision
    }
    // Before its first delta it has a snapshot.
    guard let anchor = other.anchors.last?.header,
      try store.chain(at: anchor.revision) == anchor.chain
    else { return nil }
    return anchor.revision
  }

  private func keys(
    changedAfter revision: Revision,
    in view: ReadView
  ) throws -> Set<EntityMerge.Key> {
    var keys: Set<EntityMerge.Key> = []
    var changes = try view.changes(after: revision)
    while changes.revision < view.last.revision, let (_, blocks) = try changes.next() {
      for block in blocks {
        for entry in block.entries {
          keys.insert(
            EntityMerge.Key(table: block.table(of: entry), id: Array(block.id(of: entry)))
          )
        }
      }
    }
    return keys
  }
}
