/// An entity whose last change is in memory but not in the file, because its `encode(to:)` threw.
public struct NotPersisted: Sendable, Equatable, CustomStringConvertible {
  /// The table it is in; of a persisted value `value:` and its name.
  public let table: String
  /// Its ID, as text.
  public let id: String
  /// The error its `encode(to:)` threw, as text.
  public let reason: String

  package init(table: String, id: String, reason: String) {
    self.table = table
    self.id = id
    self.reason = reason
  }

  /// `users 42: …`, or `value settings: …`.
  public var description: String {
    StoredValues.name(ofTable: table).map { "value \($0): \(reason)" }
      ?? "\(table) \(id): \(reason)"
  }
}
