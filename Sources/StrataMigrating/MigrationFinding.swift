import StrataJournal

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
  /// A step without an effect, that is not repeatable, or that rounds a field, or leaves values that equal
  /// former IDs, is only reported.
  public var isRefused: Bool {
    switch kind {
    case .destructive, .lossy, .deletes, .dangling, .notNull, .collision: !isAllowed
    case .notRepeatable, .noEffect, .rounds, .unfollowed: false
    }
  }
}

extension MigrationFinding: CustomStringConvertible {
  /// `destructive(users.bio): users.bio loses all of its 41203 values`.
  public var description: String {
    "\(MigrationAllowance(kind, table, field)): \(detail)"
  }
}

/// A finding that a migration says is intended.
///
/// ```swift
/// DataMigration("0004_no_bio", table: "users") { $0.remove("bio") }
///   .allowing(.destructive("users.bio"))
/// ```
public struct MigrationAllowance: Sendable, Hashable, Codable {
  /// The kind of finding.
  public var kind: MigrationFinding.Kind
  /// The table; nil for any.
  public var table: String?
  /// The field; nil for any.
  public var field: String?

  /// Allows a kind of finding.
  public init(_ kind: MigrationFinding.Kind, _ table: String? = nil, _ field: String? = nil) {
    self.kind = kind
    self.table = table
    self.field = field
  }

  /// Allows a kind of finding in `table` or `table.field`.
  public init(_ kind: MigrationFinding.Kind, in place: String) {
    let dot = place.firstIndex(of: ".")
    self.init(
      kind,
      String(place[..<(dot ?? place.endIndex)]),
      dot.map { String(place[place.index(after: $0)...]) }
    )
  }

  /// Reads `destructive(users.bio)`, `lossy(users)` or `no-effect`; nil for any other text.
  public init?(parsing text: some StringProtocol) {
    let text = text.trimmingPrefix { $0.isWhitespace }
    guard let start = text.firstIndex(of: "(") else {
      guard let kind = MigrationFinding.Kind(rawValue: String(text)) else { return nil }
      self.init(kind)
      return
    }
    guard text.last == ")", let kind = MigrationFinding.Kind(rawValue: String(text[..<start]))
    else {
      return nil
    }
    self.init(kind, in: String(text[text.index(after: start)...].dropLast()))
  }

  /// Allows that a table, or a field as `table.field`, loses everything.
  public static func destructive(_ place: String) -> MigrationAllowance {
    MigrationAllowance(.destructive, in: place)
  }

  /// Allows that a field, as `table.field`, loses values.
  public static func lossy(_ place: String) -> MigrationAllowance {
    MigrationAllowance(.lossy, in: place)
  }

  /// Allows that records of a table are gone.
  public static func deletes(_ table: String) -> MigrationAllowance {
    MigrationAllowance(.deletes, table)
  }

  /// Allows that references in a table, or in `table.field`, lead to no entity.
  public static func dangling(_ place: String) -> MigrationAllowance {
    MigrationAllowance(.dangling, in: place)
  }

  /// Whether it covers a finding: permission to lose everything includes losing a part.
  package func covers(_ finding: MigrationFinding) -> Bool {
    (kind == finding.kind || kind == .destructive && Self.partOfDestructive.contains(finding.kind)
      || kind == .lossy && finding.kind == .rounds)
      && (table == nil || table == finding.table) && (field == nil || field == finding.field)
  }

  private static let partOfDestructive: Set<MigrationFinding.Kind> = [
    .lossy, .deletes, .rounds,
  ]

  /// How a closure or a declaration of Swift says it: `.allowing(.destructive("users.bio"))`.
  package var swift: String {
    let place = table.map { table in field.map { "\(table).\($0)" } ?? table }
    switch (kind, place) {
    case (.destructive, let place?), (.lossy, let place?), (.deletes, let place?),
      (.dangling, let place?):
      return ".allowing(.\(kind.rawValue)(\"\(place)\"))"
    case (_, let place?):
      return ".allowing(MigrationAllowance(.\(kind), in: \"\(place)\"))"
    case (_, nil): return ".allowing(MigrationAllowance(.\(kind)))"
    }
  }
}

extension MigrationAllowance: CustomStringConvertible {
  /// `destructive(users.bio)`.
  public var description: String {
    guard let table else { return kind.rawValue }
    return "\(kind.rawValue)(\(table)\(field.map { ".\($0)" } ?? ""))"
  }
}
