import Foundation
import StrataBase
import StrataJournal

/// The object `head`: who leads, how far the archive is, and what belongs to it.
struct ObjectHead: HashedJSON, Equatable, Sendable {
  /// The format of all objects.
  static let format = 4

  var format = Self.format
  /// A number that no other head has: a place whose tags are hashes of the contents gives no tag twice.
  var number = ObjectName.newNumber()
  /// The store; nil once it was removed.
  var store: UUID?
  var epoch: Int64 = 0
  var leader = ""
  /// How long the lease runs after this head was put, in microseconds.
  var lease: Int64 = 0
  var mark: HistoryMark
  /// What is put for a head of this round, and is not named by a head of a later one, never counts.
  var round: Int64 = 0
  /// The round in which this history started.
  var history: Int64 = 0
  /// Segments that end at or before it were removed, or never sent.
  var begin: Revision
  /// What no segment has.
  var gaps: [Gap] = []
  /// The name of the object with the catalog.
  var catalog: String?
  /// The names of the snapshots, without their folder.
  var snapshots: [String] = []
  var hash: String?

  /// A place where a snapshot took the place of segments.
  struct Gap: Codable, Equatable {
    /// The end of the segments before it.
    var after: HistoryMark
    /// The snapshot.
    var through: HistoryMark
  }

  /// One without a store that starts at a mark.
  init(start: HistoryMark) {
    mark = start
    begin = start.revision
  }

  /// Reads it from the object; throws for other formats, and for what no head has.
  init(_ object: ObjectContents) throws {
    do {
      self = try Self(reading: object.body, of: "its head")
    } catch {
      // One of another format has other members.
      try Self.checkFormat(of: object)
      throw error
    }
    try ArchiveError.Reason.check(format: format, known: Self.format)
    guard mark.isWellFormed, epoch > 0, (1..<Int64.max).contains(round), lease >= 0, begin >= 0
    else {
      throw CorruptionError("its head has epoch \(epoch), round \(round) and \(mark)")
    }
    for name in snapshots where ObjectName(ObjectName.snapshots + name) == nil {
      throw CorruptionError("its head names \(name) as a snapshot")
    }
    if let catalog {
      guard case .catalog = ObjectName(catalog) else {
        throw CorruptionError("its head names \(catalog) as the catalog")
      }
    }
  }

  private static func checkFormat(of object: ObjectContents) throws {
    struct Format: Decodable { let format: Int }
    do {
      let format = try JSONDecoder().decode(Format.self, from: Data(object.body)).format
      try ArchiveError.Reason.check(format: format, known: Self.format)
    } catch let error as DecodingError {
      throw CorruptionError("its head cannot be read: \(error)")
    }
  }

  /// The snapshots, the oldest first.
  var snapshotNames: [SnapshotName] {
    snapshots.sorted().compactMap { name in
      guard case .snapshot(let name) = ObjectName(ObjectName.snapshots + name) else { return nil }
      return name
    }
  }

  /// Whether it names an object other than a segment and a chunk.
  func names(_ name: ObjectName) -> Bool {
    switch name {
    case .snapshot(let snapshot), .image(let snapshot): snapshots.contains(snapshot.text)
    case .catalog: catalog == name.text
    case .segment, .chunk: false
    }
  }

  mutating func remove(snapshots removed: (SnapshotName) -> Bool) {
    snapshots = snapshotNames.filter { !removed($0) }.map(\.text)
  }

  /// Removes what ends at or before a revision.
  mutating func begin(after revision: Revision) {
    begin = max(begin, min(revision, mark.revision))
    gaps.removeAll { $0.after.revision <= begin }
  }
}

/// A head and the object that it was read from.
struct FoundHead {
  var head: ObjectHead
  let object: ObjectContents
  let store: UUID

  /// Nil if the store was removed.
  init?(_ head: ObjectHead, _ object: ObjectContents) {
    guard let store = head.store else { return nil }
    (self.head, self.object, self.store) = (head, object, store)
  }

  /// How long the lease still runs; longer than the lease itself if the clock of the place went back.
  var rest: Duration {
    head.lease == 0 ? .zero : max(.zero, .microseconds(head.lease) - object.age)
  }

  var archiveHead: ArchiveHead {
    ArchiveHead(
      store: store,
      epoch: head.epoch,
      leader: head.leader,
      lease: rest,
      leaseEnd: head.lease > 0
        ? object.time.addingTimeInterval(TimeInterval(head.lease) / 1_000_000) : nil,
      mark: head.mark
    )
  }
}

extension ArchiveHead {
  /// The head of an archive from its object `head`; nil if its store was removed.
  package init?(_ object: ObjectContents) throws {
    guard let found = FoundHead(try ObjectHead(object), object) else { return nil }
    self = found.archiveHead
  }
}
