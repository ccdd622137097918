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
