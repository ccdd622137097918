/// Something that a migration does to the data and that may not be intended.
public struct MigrationFinding: Sendable, Hashable, Codable {
  /// The kind of a finding.
  ///
  /// The raw value is the word in `-- strata:allow destructive(users.bio)`.
  public enum Kind: String, Sendable, Codable, CaseIterable {
    /// All records of a table, or all values of a field, are gone.
    case destructive
    /// Some values of a field are gone, or its kind holds less than before.
    case lossy
    /// Some records of a table are gone.
    case deletes
    /// Values of a field were computed by SQL and are rounded.
    case rounds
    /// References that led to an entity lead to none.
    case dangling
    /// Values of a field equal IDs that the step has changed, and nothing says that they are references.
    case unfollowed
    /// A field that must not be empty was added to records that have no value for it.
    case notNull = "not-null"
    /// Several records would have one ID.
    case collision
    /// The step gives another result each time: it asks for the time or for random numbers.
    case notRepeatable = "not-repeatable"
    /// The step changes nothing, although there are records.
    case noEffect = "no-effect"
    /// A script declares what holds while it runs, such as an index.
    case notKept = "not-kept"
    /// A table has more fields than one of SQL: a script does not see some of them, and they stay as they are.
    case notShown = "not-shown"
  }

  /// The kind.
  public var kind: Kind
  /// The table; nil where it is about the step.
  public var table: String?
  /// The field; nil where it is about the table.
  public var field: String?
  /// How many records it concerns.
  public var count: Int
  /// What happens, as a sentence without a full stop: `users.bio loses all of its 41203 values`.
  public var detail: String
  /// Whether the migration says that it is intended.
  public var isAllowed: Bool
  /// What to write into the migration to allow it: `-- strata:allow destructive(users.bio)` in a script.
  ///
  /// Nil unless a run stops because of it.
  public var permission: String?

  /// Creates a finding.
  public init(
    _ kind: Kind,
    table: String? = nil,
    field: String? = nil,
    count: Int = 0,
    detail: String,
    isAllowed: Bool = false
  ) {
    self.kind = kind
    self.table = table
    self.field = field
    self.count = count
    self.detail = detail
    self.isAllowed = isAllowed
  }

  /// Whether a run stops because of it, unless it is allowed: data would be lost, or broken.
  ///
  /// A step without an effect, that is not repeatable, that declares what is not kept, that does not see a field, or that
  /// rounds a field, or leaves values that equal former IDs, is only reported.
  public var isRefused: Bool {
    switch kind {
    case .destructive, .lossy, .deletes, .dangling, .notNull, .collision: !isAllowed
    case .notRepeatable, .noEffect, .notKept, .notShown, .rounds, .unfollowed: false
    }
  }
}

extension MigrationFinding: CustomStringConvertible {
  /// `destructive(users.bio): users.bio loses all of its 41203 values`.
  public var description: String {
    "\(MigrationAllowance(kind, table, field)): \(detail)"
  }
}
