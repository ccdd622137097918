/// A part of a merge that any thread can read: a chunk of a snapshot without the entities that changed
/// after it, or a run of those changes.
///
/// The parts of a merge hold every entity once. They are not in the order of the keys: the chunks come
/// first.
package struct MergePart: Sendable {
  private enum Source {
    case chunk(StoredChunk)
    case changes(Range<Int>)
    case block(ChangeBlock)
  }

  private let source: Source
  private let changes: SortedChanges
  private let catalog: LayoutCatalog

  init(_ chunk: StoredChunk, without changes: SortedChanges, _ catalog: LayoutCatalog) {
    source = .chunk(chunk)
    self.changes = changes
    self.catalog = catalog
  }

  init(_ range: Range<Int>, of changes: SortedChanges, _ catalog: LayoutCatalog) {
    source = .changes(range)
    self.changes = changes
    self.catalog = catalog
  }

  /// A part of entities of one table that are in memory.
  package init(_ entities: [StoredEntity], of table: String, _ catalog: LayoutCatalog) {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(entities.reduce(0) { $0 + $1.id.count + $1.record.count })
    let entries = entities.map { entity in
      let start = bytes.count
      bytes += entity.id
      let id = start..<bytes.count
      bytes += entity.record
      return ChangeBlock.Entry(
        table: 0,
        id: id,
        change: .put(layout: entity.layout, record: id.upperBound..<bytes.count)
      )
    }
    source = .block(ChangeBlock(bytes: bytes, tables: [table], entries: entries))
    changes = Overlay().sorted()
    self.catalog = catalog
  }

  /// Verifies the part, and calls `body` with the runs of entities of one table in it.
  ///
  /// - Throws: `CorruptionError` before any entity is handed out; what `body` throws.
  package func read(
    _ body: (_ block: ChangeBlock, _ entries: Range<Int>) throws -> Void
  ) throws {
    switch source {
    case .changes(let range):
      for index in range {
        let (block, entry) = changes.change(index)
        try body(block, entry..<entry + 1)
      }
    case .chunk(let chunk): try read(try chunk.block(catalog), body)
    case .block(let block): try body(block, block.entries.indices)
    }
  }

  private func read(
    _ block: ChangeBlock,
    _ body: (_ block: ChangeBlock, _ entries: Range<Int>) throws -> Void
  ) throws {
    guard let first = block.entries.first else { return }
    var change = changes.count == 0 ? 0 : changes.firstIndex(from: block.key(of: first))
    var next = 0
    while next < block.entries.count {
      let key = change < changes.count ? changes.key(change) : nil
      let end = block.endOfSlice(from: next, before: key)
      if end > next {
        try body(block, next..<end)
        next = end
        continue
      }
      if let key, block.key(of: block.entries[next]) == key { next += 1 }
      change += 1
    }
  }
}

/// Stored entities in parts that any thread can read: those of a file, or what a run of migrations has made of them.
package protocol EntitySource: AnyObject {
  /// An estimate of the number of entities.
  var expectedCount: Int { get }

  /// The next part; nil at the end.
  func nextPart() throws -> MergePart?

  /// The number of entities of each table that has any.
  func counts() throws -> [String: Int]
}

extension MergeIterator {
  /// Calls a closure with this merge as a source, and goes on where the closure has left it.
  package mutating func withSource<R>(_ body: (any EntitySource) throws -> R) rethrows -> R {
    let source = MergeSource(merge: self)
    defer { self = source.merge }
    return try body(source)
  }
}

private final class MergeSource: EntitySource {
  var merge: MergeIterator

  init(merge: MergeIterator) { self.merge = merge }

  var expectedCount: Int { merge.expectedCount }

  func nextPart() throws -> MergePart? { try merge.nextPart() }

  func counts() throws -> [String: Int] { try merge.counts() }
}
