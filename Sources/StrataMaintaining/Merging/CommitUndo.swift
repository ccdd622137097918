import StrataBase
import StrataInspection
package import StrataJournal
import StrataRecords
import StrataStorage

/// Takes commits of a store back, by a commit that gives what they changed the records from before.
///
/// What other commits have changed since is not touched: such an entity is a conflict, with the last commit that changed it.
/// If conflicts are accepted, the entity gets the record from before the first of the commits that changed it. An entity
/// that has that record already is left alone.
package struct CommitUndo: EntityMergeSource {
  /// The commits to take back.
  package enum Commits: Sendable {
    /// Those of these revisions.
    case revisions([ClosedRange<Revision>])
    /// All in the journal with exactly this name.
    case named(String)
  }

  /// The entities to take back.
  package enum Entities: Sendable {
    case all
    case table(String)
    /// By their encoded IDs.
    case entities(table: String, ids: Set<[UInt8]>)

    func contains(_ key: EntityMerge.Key) -> Bool {
      switch self {
      case .all: true
      case .table(let table): key.table == table
      case .entities(let table, let ids): key.table == table && ids.contains(key.id)
      }
    }
  }

  private let commits: Commits
  private let entities: Entities
  package let conflicts: EntityMerge.Conflicts
  private let references: ReferencePolicy
  private let name: String?

  /// - Parameter name: The name of the new commit; nil for one that names the revisions.
  package init(
    of commits: Commits,
    _ entities: Entities = .all,
    conflicts: EntityMerge.Conflicts = .refuse,
    references: ReferencePolicy = .refuse,
    name: String? = nil
  ) {
    self.commits = commits
    self.entities = entities
    self.conflicts = conflicts
    self.references = references
    self.name = name
  }

  package func name(of result: EntityMerge.Result) -> String {
    name ?? "undo \(Self.text(result.revisions))"
  }

  /// Revisions as text, such as `25, 27 to 29`; long lists are shortened.
  package static func text(_ revisions: [ClosedRange<Revision>]) -> String {
    var runs: [ClosedRange<Revision>] = []
    for range in revisions {
      if let last = runs.last, last.upperBound.next == range.lowerBound {
        runs[runs.count - 1] = last.lowerBound...range.upperBound
      } else {
        runs.append(range)
      }
    }
    let texts = runs.prefix(10).map { run in
      run.lowerBound == run.upperBound
        ? "\(run.lowerBound)" : "\(run.lowerBound) to \(run.upperBound)"
    }
    let rest = runs.count - texts.count
    return texts.joined(separator: ", ") + (rest > 0 ? " and \(rest) more" : "")
  }
}

/// Finding.
extension CommitUndo {
  /// What an entity has been through since the first of the commits.
  private struct Course {
    var record: EntityMerge.Record?
    /// What it gets; nil as long as none of the commits has changed it.
    var before: EntityMerge.Record??
    /// The last other commit that has changed it after one of the commits; none if the changes were taken back.
    var changedSince: DeltaHeader?
    /// The record that the last of the commits gave it, and the other commit before that.
    private var after: (record: EntityMerge.Record?, others: DeltaHeader?) = (nil, nil)

    init(_ record: EntityMerge.Record?) { self.record = record }

    mutating func pass(
      _ next: EntityMerge.Record?,
      by header: DeltaHeader,
      isUndone: Bool
    ) throws {
      if try EntityMerge.Record.areEqual(record, next) { return }
      if isUndone {
        if before == nil { before = .some(record) }
        after = (next, changedSince)
      } else if before != nil {
        let isBack = try EntityMerge.Record.areEqual(next, after.record)
        changedSince = isBack ? after.others : header
      }
      record = next
    }
  }

  package func merge(in view: ReadView) throws -> EntityMerge {
    var merge = EntityMerge()
    let headers = try headers(in: view)
    merge.result.revisions = headers.map { $0.first...$0.revision }
    if let part = try partOfMerged(headers) { merge.result.refusals.append(part) }
    guard let first = headers.first, merge.result.refusals.isEmpty else { return merge }
    try view.checkIsKept(first.first.previous)
    let keys = try keys(changedBy: headers, in: view)
    if let refusal = try migration(after: first.first.previous, keys, in: view) {
      merge.result.refusals.append(refusal)
      return merge
    }
    let courses = try courses(of: keys, headers, in: view)
    for key in keys.sorted(by: { $0.precedes($1) }) {
      guard let course = courses[key], let before = course.before else { continue }
      let isThere = try EntityMerge.Record.areEqual(course.record, before)
      if isThere, course.changedSince == nil { continue }
      try merge.add(
        key,
        course.record == nil ? .added : before == nil ? .removed : .changed,
        before,
        now: course.record,
        isThere ? .present : course.changedSince == nil ? .applies : .conflict,
        changedSince: course.changedSince
      )
    }
    if references == .refuse {
      try merge.refuseDangling(in: view) { ids, table in
        try view.present(ids, in: table, at: first.first.previous)
      }
    }
    return merge
  }

  /// The deltas with the commits, in order.
  private func headers(in view: ReadView) throws -> [DeltaHeader] {
    var found: [Revision: DeltaHeader] = [:]
    switch commits {
    case .revisions(let ranges):
      for range in ranges {
        var revision = range.lowerBound.previous
        while revision < range.upperBound {
          let next = try view.journal.headers(after: revision, limit: 1).first?.header
          guard let header = next, header.first <= revision.next else {
            throw revision < view.last.revision
              ? PersistenceError.Reason.trimmed(
                revision.next,
                oldest: view.first ?? view.last.revision
              ) : PersistenceError.Reason.notReached(range.upperBound, last: view.last.revision)
          }
          found[header.revision] = header
          revision = header.revision
        }
      }
    case .named(let name):
      var revision = view.last.revision.next
      while true {
        let headers = try view.journal.headers(before: revision, limit: 1_000)
        guard let last = headers.last else { break }
        for (header, _) in headers where header.name == name { found[header.revision] = header }
        revision = last.header.revision
      }
    }
    return found.values.sorted { $0.revision < $1.revision }
  }

  /// The sentence for a revision that became one delta with others, which are not all to be taken back.
  private func partOfMerged(_ headers: [DeltaHeader]) throws -> String? {
    guard case .revisions(let ranges) = commits else { return nil }
    for header in headers {
      let revisions = (header.first.number...header.revision.number).map { Revision($0) }
      if revisions.allSatisfy({ revision in ranges.contains { $0.contains(revision) } }) {
        continue
      }
      return """
        The commits \(header.first) to \(header.revision) became one delta while the disk refused writes, and cannot be taken \
        back alone: name \(header.first.previous)..\(header.revision).
        """
    }
    return nil
  }

  private func keys(
    changedBy headers: [DeltaHeader],
    in view: ReadView
  ) throws -> Set<EntityMerge.Key> {
    var keys: Set<EntityMerge.Key> = []
    for header in headers {
      var changes = try view.changes(after: header.first.previous)
      for block in try changes.next()?.blocks ?? [] {
        for entry in block.entries {
          let key = EntityMerge.Key(table: block.table(of: entry), id: Array(block.id(of: entry)))
          if entities.contains(key) { keys.insert(key) }
        }
      }
    }
    return keys
  }

  /// The sentence for a migration of one of the tables since a revision: records from before may have another shape.
  private func migration(
    after revision: Revision,
    _ keys: Set<EntityMerge.Key>,
    in view: ReadView
  ) throws -> String? {
    let tables = Set(keys.map(\.table))
    for boundary in try MigrationBoundaries(in: view.journal.connection).after(revision) {
      var changes = try view.changes(after: boundary.revision.previous)
      let changed = Set(try changes.next()?.blocks.flatMap(\.tables) ?? [])
      let ended = view.listed.filter { $0.until == boundary.revision }.map(\.name)
      guard let table = tables.intersection(changed.union(ended)).min() else { continue }
      return """
        The migration \(boundary.migration) has changed \(table) at revision \(boundary.revision), so records from before may \
        have another shape. Read what they were with --at \(revision), and write that in a commit. The whole store can go \
        back: strata revert --at \(revision).
        """
    }
    return nil
  }

  private func courses(
    of keys: Set<EntityMerge.Key>,
    _ headers: [DeltaHeader],
    in view: ReadView
  ) throws -> [EntityMerge.Key: Course] {
    guard let first = headers.first?.first.previous else { return [:] }
    let undone = Set(headers.map(\.revision))
    var courses = try view.records(keys, at: first).mapValues { Course($0) }
    for key in keys where courses[key] == nil { courses[key] = Course(nil) }
    let scope = ReadScope(keys)
    var changes = try view.changes(after: first)
    while changes.revision < view.last.revision,
      let (header, blocks) = try changes.next(changing: scope, through: view.last.revision)
    {
      for block in blocks {
        for entry in block.entries {
          let key = EntityMerge.Key(table: block.table(of: entry), id: Array(block.id(of: entry)))
          if courses[key] == nil { continue }
          var record: EntityMerge.Record?
          switch entry.change {
          case .put(let layout, let range):
            record = EntityMerge.Record(
              bytes: Array(block.bytes[range]),
              layout: try view.catalog.layout(layout)
            )
          case .remove: break
          // The file has the record from before.
          case .notPersisted: continue
          }
          try courses[key]?.pass(record, by: header, isUndone: undone.contains(header.revision))
        }
      }
    }
    return courses
  }
}
