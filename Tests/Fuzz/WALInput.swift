import StrataSQLite

/// An SQLite WAL, whose checksums are recomputed, or hardly any input would have a valid frame.
enum WALInput {
  private static let headerSize = 32
  private static let frameHeaderSize = 24

  static func check(_ bytes: [UInt8]) {
    read(bytes)
    read(withChecksums(bytes))
  }

  private static func read(_ bytes: [UInt8]) {
    var last: Int64 = 0
    let contents = WALReader.contents { (count, offset) throws(Never) in
      require(count > 0 && offset >= last, "a WAL is read forwards")
      last = offset
      let start = Int(min(offset, Int64(bytes.count)))
      return Array(bytes[start..<min(start + count, bytes.count)])
    }
    guard let contents else { return }
    require(!contents.frames.isEmpty && contents.pages > 0, "what is committed has pages")
    for (number, frame) in contents.frames.enumerated() {
      let size = frameHeaderSize + contents.pageSize
      require(
        frame.offset == Int64(headerSize + number * size + frameHeaderSize),
        "frames follow one another"
      )
      require(frame.page > 0, "pages are counted from 1")
      require(Int(frame.offset) + contents.pageSize <= bytes.count, "a page is inside the WAL")
    }
  }

  /// The bytes with the magic of a WAL, the salts of the header in each frame, and the right checksums.
  private static func withChecksums(_ input: [UInt8]) -> [UInt8] {
    guard input.count >= headerSize else { return input }
    var bytes = input
    let isBigEndian = input[3] & 1 == 1
    bytes.replaceSubrange(
      0..<8,
      with: [0x37, 0x7F, 0x06, isBigEndian ? 0x83 : 0x82, 0, 0x2D, 0xE2, 0x18]
    )
    let pageSize = 512 << Int(input[11] & 3)
    bytes.replaceSubrange(8..<12, with: words(UInt32(pageSize)))
    var sums: (UInt32, UInt32) = (0, 0)
    add(bytes[0..<24], to: &sums, isBigEndian)
    bytes.replaceSubrange(24..<32, with: words(sums.0) + words(sums.1))
    var start = headerSize
    while start + frameHeaderSize + pageSize <= bytes.count {
      bytes.replaceSubrange(start + 8..<start + 16, with: bytes[16..<24])
      add(bytes[start..<start + 8], to: &sums, isBigEndian)
      let page = start + frameHeaderSize
      add(bytes[page..<page + pageSize], to: &sums, isBigEndian)
      bytes.replaceSubrange(start + 16..<page, with: words(sums.0) + words(sums.1))
      start = page + pageSize
    }
    return bytes
  }

  private static func add(
    _ bytes: ArraySlice<UInt8>,
    to sums: inout (UInt32, UInt32),
    _ isBigEndian: Bool
  ) {
    func word(_ start: Int) -> UInt32 {
      let value = bytes[start..<start + 4].reduce(0) { $0 << 8 | UInt32($1) }
      return isBigEndian ? value : value.byteSwapped
    }
    for start in stride(from: bytes.startIndex, to: bytes.endIndex - 7, by: 8) {
      sums.0 = sums.0 &+ word(start) &+ sums.1
      sums.1 = sums.1 &+ word(start + 4) &+ sums.0
    }
  }

  private static func words(_ number: UInt32) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  /// WALs of one to three frames, the last of which ends a commit.
  static func seeds() -> [[UInt8]] {
    (1...3).map { count in
      var bytes = [UInt8](repeating: 0, count: headerSize)
      for number in 1...count {
        let pages = UInt32(number == count ? count : 0)
        bytes += words(UInt32(number)) + words(pages)
        bytes += [UInt8](repeating: 7, count: 16 + 512)
      }
      return withChecksums(bytes)
    }
  }
}
