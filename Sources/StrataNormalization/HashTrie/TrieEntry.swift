/// The hash of an entity that is to be inserted, and its position among them.
@usableFromInline
struct TrieEntry {
  @usableFromInline let hash: UInt
  @usableFromInline let position: Int

  @inlinable
  init(_ id: some Hashable, _ position: Int) {
    hash = TrieHash(id).rest
    self.position = position
  }

  /// The slot at a level.
  @inlinable
  func slot(_ level: Int) -> Int {
    Int(truncatingIfNeeded: hash &>> UInt(UInt.bitWidth &- 4 &- 4 &* level) & 15)
  }

  @inlinable var tag: UInt8 { UInt8(truncatingIfNeeded: hash) }
}

extension TrieEntry {
  /// Sorts by hash, and entries with the same hash by position; the input is in the order of positions.
  ///
  /// Two passes of a radix sort order the entries by the highest 22 bits, which for hashes is nearly the
  /// final order. An insertion sort completes it.
  @inlinable
  static func sort(_ entries: UnsafeMutableBufferPointer<TrieEntry>) {
    if entries.count > 64 {
      withUnsafeTemporaryAllocation(of: TrieEntry.self, capacity: entries.count) { scratch in
        scatter(entries, to: scratch, by: UInt(UInt.bitWidth - 22))
        scatter(scratch, to: entries, by: UInt(UInt.bitWidth - 11))
      }
    }
    for index in entries.indices.dropFirst() {
      let entry = entries[index]
      var place = index
      while place > 0, entries[place - 1].hash > entry.hash {
        entries[place] = entries[place - 1]
        place -= 1
      }
      entries[place] = entry
    }
  }

  /// Copies the entries in the order of eleven bits of their hashes.
  @inlinable
  static func scatter(
    _ entries: UnsafeMutableBufferPointer<TrieEntry>,
    to target: UnsafeMutableBufferPointer<TrieEntry>,
    by shift: UInt
  ) {
    withUnsafeTemporaryAllocation(of: Int.self, capacity: 2_048) { places in
      places.initialize(repeating: 0)
      for entry in entries { places[Int(entry.hash &>> shift & 2_047)] &+= 1 }
      var place = 0
      for digit in places.indices {
        let count = places[digit]
        places[digit] = place
        place &+= count
      }
      for entry in entries {
        let digit = Int(entry.hash &>> shift & 2_047)
        target.initializeElement(at: places[digit], to: entry)
        places[digit] &+= 1
      }
    }
  }
}

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
