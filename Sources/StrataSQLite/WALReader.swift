/// Reads the frames of an SQLite WAL that belong to its last commit and those before it
/// (`sqlite.org/fileformat2.html#the_write_ahead_log`).
///
/// ```
/// header   32 bytes: magic 0x377F0682 or …83, version 3007000, page size, checkpoint number, two salts,
///          checksum (two words) of the 24 bytes before
/// frame    24 bytes: page number, size of the database in pages after a commit or 0, the header's salts,
///          checksum of all before in this WAL; then the page
/// ```
///
/// All words are big-endian. The last bit of the magic is the byte order of the words that the checksums
/// add up. A frame is valid if its salts are the header's and its checksum continues that of the frame
/// before; SQLite takes everything after the first invalid frame for leftovers, and so does this. It reads
/// nothing beyond that frame, whatever the length of the file.
///
/// It opens nothing: the caller passes a closure that reads.
package struct WALReader {
  /// A valid frame.
  package struct Frame: Equatable, Sendable {
    /// The number of the page, from 1.
    package let page: UInt32
    /// Where the bytes of the page start in the file.
    package let offset: Int64
  }

  /// The frames up to the last commit.
  package struct Contents: Equatable, Sendable {
    package let pageSize: Int
    /// In the order of the file: a later frame replaces an earlier one of the same page.
    package let frames: [Frame]
    /// The size of the database in pages after the last commit.
    package let pages: UInt32
  }

  private static let headerSize = 32
  private static let frameHeaderSize = 24

  /// Reads a WAL; nil if it has no commit.
  ///
  /// O(bytes of the valid frames). Memory O(frames).
  ///
  /// - Parameter read: returns up to so many bytes from an offset; fewer at the end.
  package static func contents<E: Error>(
    _ read: (_ count: Int, _ offset: Int64) throws(E) -> [UInt8]
  ) throws(E) -> Contents? {
    let header = try read(headerSize, 0)
    guard header.count == headerSize else { return nil }
    let magic = word(header, 0)
    let pageSize = Int(word(header, 8))
    guard magic & ~1 == 0x377F_0682, word(header, 4) == 3_007_000,
      (512...65536).contains(pageSize), pageSize & (pageSize - 1) == 0
    else { return nil }
    var sum = RunningChecksum(isBigEndian: magic & 1 == 1)
    sum.add(header[0..<24])
    guard sum.matches(header, at: 24) else { return nil }
    let salts = header[16..<24]

    var frames: [Frame] = []
    var committed = 0
    var pages: UInt32 = 0
    var offset = Int64(headerSize)
    while true {
      let frame = try read(frameHeaderSize + pageSize, offset)
      guard frame.count == frameHeaderSize + pageSize, frame[8..<16] == salts else { break }
      let page = word(frame, 0)
      sum.add(frame[0..<8])
      sum.add(frame[frameHeaderSize...])
      guard page > 0, sum.matches(frame, at: 16) else { break }
      frames.append(Frame(page: page, offset: offset + Int64(frameHeaderSize)))
      let size = word(frame, 4)
      if size > 0 { (committed, pages) = (frames.count, size) }
      offset += Int64(frame.count)
    }
    guard committed > 0 else { return nil }
    frames.removeLast(frames.count - committed)
    return Contents(pageSize: pageSize, frames: frames, pages: pages)
  }

  private static func word(_ bytes: [UInt8], _ offset: Int) -> UInt32 {
    bytes[offset..<offset + 4].reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// SQLite's checksum of a WAL: two words over pairs of words.
  private struct RunningChecksum {
    let isBigEndian: Bool
    private var first: UInt32 = 0
    private var second: UInt32 = 0

    init(isBigEndian: Bool) { self.isBigEndian = isBigEndian }

    /// Adds bytes, a multiple of eight.
    mutating func add(_ bytes: ArraySlice<UInt8>) {
      bytes.withUnsafeBytes { bytes in
        for offset in stride(from: 0, to: bytes.count - 7, by: 8) {
          let a = bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
          let b = bytes.loadUnaligned(fromByteOffset: offset + 4, as: UInt32.self)
          first = first &+ (isBigEndian ? a.bigEndian : a.littleEndian) &+ second
          second = second &+ (isBigEndian ? b.bigEndian : b.littleEndian) &+ first
        }
      }
    }

    func matches(_ bytes: [UInt8], at offset: Int) -> Bool {
      first == word(bytes, offset) && second == word(bytes, offset + 4)
    }
  }
}
