/// A part of a merge that any thread can read: a chunk of a snapshot without the entities that changed
/// after it, or a run of those changes.
///
/// The parts of a merge hold every entity once. They are not in the order of the keys: the chunks come
/// first.
package struct MergePart: Sendable {
  private enum Source {
    case chunk(StoredChunk)
    case changes(Range<Int>)
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
