public import StrataJournal
import StrataRecords

/// What `.bestEffort` could not restore.
public struct RestoreLoss: Sendable, Equatable {
  /// A stored record that the entity type of this build cannot read, or a persisted value that its type
  /// cannot.
  ///
  /// It is missing from the state; a persisted value then has its initial value. The file keeps it, byte
  /// for byte, until its ID is put or removed, or the value is changed.
  public struct Undecodable: Sendable, Equatable {
    /// Its table; for a persisted value `value:` and its name.
    public let table: String
    /// Its ID, as text.
    public let id: String
    /// What its `init(from:)` threw.
    public let detail: String

    package init(table: String, id: String, detail: String) {
      self.table = table
      self.id = id
      self.detail = detail
    }
  }

  /// A range of entities whose stored form is damaged, in every copy that the file had.
  ///
  /// Those that were put again after that snapshot are in the state nevertheless.
  public struct MissingEntities: Sendable, Equatable {
    /// Their table; for a persisted value `value:` and its name.
    public let table: String
    /// The ID of the first one, as text; the others follow it in the order of the stored IDs.
    public let firstID: String
    /// How many there are.
    public let count: Int

    init(_ chunk: ListedChunk) {
      table = chunk.table
      firstID = EncodedID.text(of: chunk.first[...])
      count = chunk.count
    }
  }

  /// What was wrong with the file; nil when it was not damaged.
  public var damage: String?
  /// The revisions that are lost, as far as is known; nil when none is known to be.
  public var revisions: ClosedRange<Revision>?
  /// Where the damaged files are now.
  public var quarantine: Quarantine?
  /// Entities that are lost although later commits are there.
  public var missing: [MissingEntities] = []
  /// Records that were left out: the first 1,000.
  public var undecodable: [Undecodable] = []
  /// How many records were left out.
  public var undecodableCount = 0

  package init(
    damage: String? = nil,
    revisions: ClosedRange<Revision>? = nil,
    quarantine: Quarantine? = nil,
    missing: [MissingEntities] = []
  ) {
    self.damage = damage
    self.revisions = revisions
    self.quarantine = quarantine
    self.missing = missing
  }

  /// All commits of a damaged file of which nothing was restored, as far as its head knows them.
  package init(ofAll path: StorePath, damage: String, on disk: Disk) throws(PersistenceError) {
    let head: HeadRecord?
    do {
      head = try HeadFile.read(path.head, on: disk)
    } catch {
      throw PersistenceError(.opening, path: path.file, wrapping: error)
    }
    let last = head.map { max($0.written.revision, $0.durable.revision) } ?? 0
    self.init(damage: damage, revisions: last > 0 ? 1...last : nil)
  }

  /// How many undecodable records are listed.
  static let undecodableLimit = 1_000

  package mutating func add(_ record: @autoclosure () -> Undecodable) {
    undecodableCount += 1
    if undecodable.count < Self.undecodableLimit { undecodable.append(record()) }
  }
}
