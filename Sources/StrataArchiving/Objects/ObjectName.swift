import Foundation
import StrataBase
import StrataJournal

/// The name of an object that is written once; its last part is the round in which it was put.
///
/// Names that are none of these belong to somebody else, and stay as they are.
enum ObjectName: Hashable {
  case segment(SegmentName)
  case snapshot(SnapshotName)
  case image(SnapshotName)
  case catalog(number: String, round: Int64)
  case chunk(ChunkName)

  static let segments = "segments/"
  static let snapshots = "snapshots/"
  static let images = "images/"
  static let chunks = "chunks/"

  init?(_ name: String) {
    guard let slash = name.firstIndex(of: "/") else { return nil }
    let rest = name[name.index(after: slash)...]
    let parts = rest.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    guard parts.count > 1, let round = Self.number(parts[parts.count - 1]) else { return nil }
    switch (name[...slash], parts.count) {
    case (Self.segments[...], 5):
      guard let segment = SegmentName(parts, round: round) else { return nil }
      self = .segment(segment)
    case (Self.images[...], 3) where parts[0] == "catalog":
      self = .catalog(number: parts[1], round: round)
    case (Self.snapshots[...], 3), (Self.images[...], 3):
      guard let revision = Self.padded(parts[0]) else { return nil }
      let snapshot = SnapshotName(revision: revision, number: parts[1], round: round)
      self = name.hasPrefix(Self.snapshots) ? .snapshot(snapshot) : .image(snapshot)
    case (Self.chunks[...], 2):
      guard let chunk = ChunkName(String(rest)) else { return nil }
      self = .chunk(chunk)
    default: return nil
    }
    // There is one way to write a name.
    guard text == name else { return nil }
  }

  var text: String {
    switch self {
    case .segment(let name): "\(Self.segments)\(name.text)"
    case .snapshot(let name): "\(Self.snapshots)\(name.text)"
    case .image(let name): "\(Self.images)\(name.text)"
    case .catalog(let number, let round): "\(Self.images)catalog-\(number)-\(round)"
    case .chunk(let name): "\(Self.chunks)\(name.text)"
    }
  }

  var round: Int64 {
    switch self {
    case .segment(let name): name.round
    case .snapshot(let name), .image(let name): name.round
    case .catalog(_, let round): round
    case .chunk(let name): name.round
    }
  }

  /// A number that no other object has.
  static func newNumber() -> String {
    let bytes = withUnsafeBytes(of: Scheduling.uuid().uuid) { Array($0) }
    return Checksum(of: bytes).description
  }

  /// The names of revisions sort as the revisions do.
  static func padded(_ revision: Revision) -> String {
    let digits = "\(revision)"
    return String(repeating: "0", count: max(0, 19 - digits.count)) + digits
  }

  fileprivate static func padded(_ text: String) -> Revision? {
    text.utf8.count == 19 ? number(text).map { Revision($0) } : nil
  }

  fileprivate static func number(_ text: String) -> Int64? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(text) : nil
  }
}

/// The name of a segment, which says where it starts and ends.
struct SegmentName: Hashable {
  let start: HistoryMark
  let end: HistoryMark
  let round: Int64

  init(_ segment: ArchiveSegment, round: Int64) {
    (start, end, self.round) = (segment.start, segment.end, round)
  }

  fileprivate init?(_ parts: [String], round: Int64) {
    guard let last = ObjectName.padded(parts[0]), let first = ObjectName.padded(parts[1]),
      first <= last
    else { return nil }
    start = HistoryMark(revision: first.previous, chain: parts[2])
    end = HistoryMark(revision: last, chain: parts[3])
    self.round = round
    if !start.isWellFormed || !end.isWellFormed { return nil }
  }

  /// The last revision comes first, so that those with a delta after a revision sort after it.
  var text: String {
    let (last, first) = (ObjectName.padded(end.revision), ObjectName.padded(start.revision.next))
    return "\(last)-\(first)-\(start.chain)-\(end.chain)-\(round)"
  }
}

/// The name of a snapshot.
struct SnapshotName: Hashable {
  let revision: Revision
  let number: String
  let round: Int64

  var text: String { "\(ObjectName.padded(revision))-\(number)-\(round)" }
}

/// The name of a chunk.
struct ChunkName: Hashable {
  let id: ArchiveChunk.ID
  let round: Int64

  init(id: ArchiveChunk.ID, round: Int64) { (self.id, self.round) = (id, round) }

  init?(_ text: String) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, let id = ArchiveChunk.ID(parts[0]),
      let round = ObjectName.number(parts[1])
    else { return nil }
    self.init(id: id, round: round)
  }

  var text: String { "\(id)-\(round)" }
}
