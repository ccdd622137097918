/// Goes once through the changes of a sequence of deltas, in the order of keys: the last change of every entity.
package struct ChangeCursor {
  /// The first change of a run that was not passed.
  private struct Head {
    let key: EntityKey
    /// Nil for a removed entity.
    let put: StoredEntity?
    let run: Int
  }

  private var runs: [ChangeRun.Cursor]
  private var heads: MergeHeap<Head>

  /// - Parameter runs: in the order of their deltas.
  package init(_ runs: [ChangeRun]) throws {
    var cursors = runs.map { ChangeRun.Cursor($0) }
    var first: [Head] = []
    for run in cursors.indices {
      if let head = try Self.head(of: run, &cursors) { first.append(head) }
    }
    self.runs = cursors
    // For one entity, its last change comes first.
    heads = MergeHeap(first) { a, b in a.key < b.key || a.key == b.key && a.run > b.run }
  }

  /// The entity that is changed next; nil at the end.
  var key: EntityKey? { heads.first?.key }

  /// Passes a change, and returns the put entity; nil for a removed one, and at the end.
  ///
  /// O(log runs).
  mutating func next() throws -> StoredEntity? {
    guard let last = heads.first else { return nil }
    while let head = heads.first, head.key == last.key {
      heads.replaceFirst(by: try Self.head(of: head.run, &runs))
    }
    return last.put
  }

  private static func head(of run: Int, _ runs: inout [ChangeRun.Cursor]) throws -> Head? {
    guard let (block, index) = try runs[run].next() else { return nil }
    let key = block.key(of: block.entries[index])
    return Head(key: key, put: EntitySlice(block, index..<index + 1).entity(index), run: run)
  }
}

/// Changes in the order of keys, each entity once.
package enum ChangeRun {
  case held(SortedChanges)
  case stored(LargeDelta)

  /// Whether a change may be in the range of a chunk that starts at a key.
  ///
  /// O(log changes) or O(log blocks); nothing is read.
  package func mayChange(_ chunk: ListedChunk, from start: EntityKey) -> Bool {
    let first: EntityKey?
    switch self {
    case .held(let changes):
      let index = changes.firstIndex(from: start)
      first = index < changes.count ? changes.key(index) : nil
    case .stored(let delta): first = delta.startOfBlock(reaching: start)
    }
    guard let first, first.table == chunk.table || first < start else { return false }
    return chunk.next.map { first < EntityKey(table: chunk.table, id: $0[...]) } ?? true
  }

  /// Goes through the changes of one run.
  struct Cursor {
    private let run: ChangeRun
    private var nextBlock = 0
    private var block: ChangeBlock?
    private var nextEntry = 0

    init(_ run: ChangeRun) { self.run = run }

    /// The next change: a block and a place in it; nil at the end.
    mutating func next() throws -> (ChangeBlock, Int)? {
      switch run {
      case .held(let changes):
        guard nextEntry < changes.count else { return nil }
        defer { nextEntry += 1 }
        return changes.change(nextEntry)
      case .stored(let delta):
        while true {
          if let block, let found = block.entries[nextEntry...].firstIndex(where: \.isPersisted) {
            nextEntry = found + 1
            return (block, found)
          }
          guard nextBlock < delta.blocks.count else { return nil }
          (block, nextEntry) = (nil, 0)
          block = try delta.read(nextBlock)
          nextBlock += 1
        }
      }
    }
  }
}

extension ChangeBlock.Entry {
  /// Whether it changes the stored entity.
  var isPersisted: Bool { change != .notPersisted }
}
