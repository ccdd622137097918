/// The number of entries before each slot of a branch, and before its end.
@usableFromInline
struct TrieBounds {
  @usableFromInline let entries: UnsafeBufferPointer<TrieEntry>
  @usableFromInline let run: Range<Int>
  @usableFromInline let level: Int

  @inlinable
  init(_ entries: UnsafeBufferPointer<TrieEntry>, _ run: Range<Int>, _ level: Int) {
    self.entries = entries
    self.run = run
    self.level = level
  }

  /// The first entry whose slot is at least this one.
  @inlinable
  subscript(slot: Int) -> Int {
    if slot == 0 { return run.lowerBound }
    if slot == 16 { return run.upperBound }
    var (lower, upper) = (run.lowerBound, run.upperBound)
    while lower < upper {
      let middle = (lower + upper) / 2
      if entries[middle].slot(level) < slot { lower = middle + 1 } else { upper = middle }
    }
    return lower
  }
}
