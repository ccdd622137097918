import StrataRecords

/// The changes that a journal has of the entities of a table, in its order.
///
/// If entities are named, runs of deltas that only change others are skipped, by the indexes of the file.
package struct EntityChanges {
  /// The change of one entity by one delta.
  package struct Change {
    package let commit: DeltaHeader
    package let block: ChangeBlock
    package let entry: ChangeBlock.Entry

    package var id: ArraySlice<UInt8> { block.id(of: entry) }
  }

  private let table: String
  private let filter: EntityFilter
  private let scope: ReadScope
  private let end: Revision
  private var replay: JournalReplay
  private var commit: DeltaHeader?
  /// The blocks of the commit whose changes follow, and the next entry of the first of them.
  private var blocks: ArraySlice<ChangeBlock> = []
  private var nextEntry = 0

  /// The changes that a replay still has, up to a revision.
  package init(
    of table: String,
    _ filter: EntityFilter,
    in replay: JournalReplay,
    through end: Revision
  ) {
    (self.table, self.filter, self.replay, self.end) = (table, filter, replay, end)
    scope = filter.keys(of: table).map { .entities($0) } ?? .table(table)
  }

  /// The next change; nil at the end.
  ///
  /// - Parameter check: called for each delta and change; ends the reading by an error.
  /// - Throws: as ``JournalReplay/next()``.
  package mutating func next(check: () throws -> Void = {}) throws -> Change? {
    while true {
      try check()
      if let block = blocks.first, let commit {
        if let entry = advance(in: block) {
          return Change(commit: commit, block: block, entry: entry)
        }
        blocks.removeFirst()
        nextEntry = 0
        continue
      }
      guard replay.revision < end,
        let (header, blocks) = try replay.next(changing: scope, through: end, check: check),
        header.revision <= end
      else { return nil }
      commit = header
      self.blocks = blocks[...]
    }
  }

  private mutating func advance(in block: ChangeBlock) -> ChangeBlock.Entry? {
    guard let number = block.tables.firstIndex(of: table) else { return nil }
    while nextEntry < block.entries.count {
      let entry = block.entries[nextEntry]
      nextEntry += 1
      if entry.table == number, filter.contains(block.id(of: entry)) { return entry }
    }
    return nil
  }
}

/// The versions that a file has of the entities of a table, up to a revision.
///
/// What was there at the oldest revision that can be read comes first, the changes of the journal follow in
/// its order. It holds the records, so its memory is about their size: that of the journal for a whole table,
/// and that of one entity with a filter for it.
package struct EntityVersions {
  /// What happened to an entity.
  package struct Version {
    package enum Content {
      case put(layout: Int64, record: [UInt8])
      case removed
      /// Changed in memory but not in the file, because its `encode(to:)` threw.
      case notPersisted
    }

    /// The place of its commit in ``commits``; nil for what was there at the oldest revision.
    package let commit: Int?
    package let content: Content
    /// The key that it had before, for the first version under a key that a migration gave it.
    package let former: EntityKey?
  }

  /// The oldest revision that can be read.
  package let oldest: Revision
  /// The commits that changed the entities, in order.
  package private(set) var commits: [DeltaHeader] = []
  /// The versions by the encoded IDs, the oldest first.
  package private(set) var versions: [[UInt8]: [Version]] = [:]
  package let table: String

  /// Reads the versions; O(journal, and the snapshot where entities are not named).
  ///
  /// For named entities, the other deltas are skipped, by the indexes of the file if it has them.
  ///
  /// - Parameters:
  ///   - base: The entities at the oldest revision.
  ///   - end: The last revision whose changes count.
  ///   - check: Called for each delta and entity; ends the reading by an error.
  package init(
    of table: String,
    _ filter: EntityFilter,
    from base: EntityState,
    through end: Revision,
    in view: ReadView,
    check: () throws -> Void = {}
  ) throws {
    oldest = base.revision
    self.table = table
    // A snapshot that the journal does not continue has nothing after it.
    if oldest < end {
      var changes = EntityChanges(
        of: table,
        filter,
        in: try view.changes(after: oldest),
        through: end
      )
      while let change = try changes.next(check: check) {
        if commits.last?.revision != change.commit.revision { commits.append(change.commit) }
        let content: Version.Content =
          switch change.entry.change {
          case .put(let layout, let record):
            .put(layout: layout, record: Array(change.block.bytes[record]))
          case .remove: .removed
          case .notPersisted: .notPersisted
          }
        let version = Version(
          commit: commits.count - 1,
          content: content,
          former: change.block.former(of: change.entry)
        )
        versions[Array(change.id), default: []].append(version)
      }
    }
    try add(base, filter, check)
  }

  /// Adds the first versions: of all entities that are named, else of those that changed since.
  private mutating func add(
    _ base: EntityState,
    _ filter: EntityFilter,
    _ check: () throws -> Void
  ) throws {
    let isNamed = if case .ids = filter { true } else { false }
    guard isNamed || !versions.isEmpty else { return }
    var scan = base.scan(table, filter)
    while let entity = try scan.next() {
      try check()
      let id = Array(entity.id)
      guard isNamed || versions[id] != nil else { continue }
      let content = Version.Content.put(layout: entity.layout, record: Array(entity.record))
      let version = Version(commit: nil, content: content, former: nil)
      versions[id, default: []].insert(version, at: 0)
    }
  }

  /// The versions of an entity under its key, the oldest first: since it got the key, where a migration gave it that.
  ///
  /// - Parameter end: Those before a revision; nil for all.
  package func versions(of id: ArraySlice<UInt8>, before end: Revision? = nil) -> [Version] {
    var versions = self.versions[Array(id)] ?? []
    if let end {
      versions.removeAll { version in version.commit.map { commits[$0].revision >= end } ?? false }
    }
    let move = move(in: versions)
    return move.map { Array(versions[$0...]) } ?? versions
  }

  /// The place of the version with which an entity got its key from a migration; nil if it was added with this key, or has
  /// had it since the oldest revision.
  private func move(in versions: [Version]) -> Int? {
    var hasRecord = false
    for (index, version) in versions.enumerated().reversed() {
      switch version.content {
      case .notPersisted: continue
      // An entity that was there before has had the key.
      case .removed where hasRecord: return nil
      case .removed: continue
      case .put:
        if version.former != nil { return index }
        hasRecord = true
      }
    }
    return nil
  }

  /// The delta that gave an entity its key, and the one that it had before; nil if it has had no other.
  package func move(
    of id: ArraySlice<UInt8>,
    before end: Revision? = nil
  ) -> (commit: DeltaHeader, former: EntityKey)? {
    guard let first = versions(of: id, before: end).first, let former = first.former,
      let commit = first.commit
    else { return nil }
    return (commits[commit], former)
  }

  /// An entity as it was before a revision; nil if it was not there.
  package func entity(_ id: ArraySlice<UInt8>, before end: Revision) -> StoredEntity? {
    let last = versions(of: id, before: end).last {
      if case .notPersisted = $0.content { false } else { true }
    }
    guard case .put(let layout, let record)? = last?.content else { return nil }
    return StoredEntity(table: table, id: id, layout: layout, record: record[...])
  }
}
