public import StrataCore
public import StrataJournal
import StrataNormalization

extension Persistence {
  /// A persisted value as it was at a point of history; nil if the file did not have it by then.
  ///
  /// ```swift
  /// let info = try await persistence.value(at: .revision(120), \.loggedIn.myInfo)
  /// ```
  ///
  /// Costs as much as ``state(at:)``.
  ///
  /// Throws what ``state(at:)`` throws, and `.notThere` for a path that is not among the `values`
  /// that `open` was given.
  public func value<Value: Codable & Equatable & Sendable>(
    at point: HistoryPoint,
    _ path: StatePath<State, Value>
  ) async throws(PersistenceError) -> Value? {
    guard let value = values.first(where: { $0.path == (path as AnyKeyPath) }) else {
      throw PersistenceError(.inspecting, path: self.path, .notFound("persisted value at \(path)"))
    }
    let found = try await contents(at: point).values
    for case .put(let stored) in found.changes(of: StoredValue<Value>.self, in: value.table) {
      return stored.value
    }
    return nil
  }
}
