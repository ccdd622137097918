public import StrataJournal
public import StrataStorage

extension Persistence {
  /// Writes the last commits into a small store for a bug report, with the entities that they touch and those
  /// that these refer to, and with some fields replaced.
  ///
  /// ```swift
  /// try await persistence.bundle(last: 50, redacting: [.init("users", "email")], to: "bug.strata")
  /// ```
  ///
  /// Commits made before the call count. See `StoreBundle.write` for what is in it, what it costs and what it
  /// throws.
  @discardableResult
  public func bundle(
    last: Int,
    redacting fields: [StoreBundle.Field] = [],
    contexts: StoreBundle.Contexts = .omit,
    to path: String
  ) async throws(PersistenceError) -> StoreBundle.Report {
    try await writePending(for: nil)
    // What is read is not trimmed meanwhile.
    let pin = reader.pins.pin(0)
    defer { withExtendedLifetime(pin) {} }
    return try await StoreBundle.write(
      of: self.path,
      last: last,
      redacting: fields,
      contexts: contexts,
      to: path
    )
  }
}
