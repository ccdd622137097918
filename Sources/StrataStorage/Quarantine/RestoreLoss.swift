/// What `.bestEffort` could not restore.
public struct RestoreLoss: Sendable, Equatable {
  /// A stored record that the entity type of this build cannot read, or a persisted value that its type
  /// cannot.
  ///
  /// It is not in the state, which then has the initial value; in the file it stays, byte for byte,
  /// until its ID is put or removed, or the value is changed.
  public struct Undecodable: Sendable, Equatable {
    /// The table it is in; of a persisted value `value:` and its name.
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

  /// What was wrong with the file; nil when it was sound.
  public var damage: String?
  /// The revisions that are gone, as far as anyone knows; nil when none is known to be.
  public var revisions: ClosedRange<Revision>?
  /// Where the damaged files are now.
  public var quarantine: Quarantine?
  /// Records that were left out: the first 1,000.
  public var undecodable: [Undecodable] = []
  /// How many records were left out.
  public var undecodableCount = 0

  package init(
    damage: String? = nil,
    revisions: ClosedRange<Revision>? = nil,
    quarantine: Quarantine? = nil
  ) {
    self.damage = damage
    self.revisions = revisions
    self.quarantine = quarantine
  }

  /// How many undecodable records are told one by one.
  static let undecodableLimit = 1_000

  package mutating func add(_ record: @autoclosure () -> Undecodable) {
    undecodableCount += 1
    if undecodable.count < Self.undecodableLimit { undecodable.append(record()) }
  }
}
