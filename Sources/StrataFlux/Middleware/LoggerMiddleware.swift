import StrataBase

/// Writes a line for every action that a store received: the action, the store and the duration.
///
/// ```
/// default-17 counter: increase, 0.000012 s
/// ```
///
/// The duration is from before the call of the reducer until the observers were notified. The line
/// contains the whole action, so do not log to a place where its content must not appear.
public final class LoggerMiddleware: Middleware {
  private struct Key: Hashable {
    let transaction: String
    /// Not its identifier: two hubs can have the same name, and so can their stores.
    let store: ObjectIdentifier
  }

  private let log: @Sendable (String) -> Void
  /// The time since the logger was created.
  private let elapsed: @Sendable () -> Duration
  private let started = Lock<[Key: Duration]>([:])

  /// Creates a logger.
  ///
  /// - Parameters:
  ///   - clock: The clock that measures the duration.
  ///   - log: Writes a line; the default prints it.
  public init(
    clock: some Clock<Duration> = ContinuousClock(),
    log: @escaping @Sendable (String) -> Void = { print($0) }
  ) {
    self.log = log
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
  }

  /// Records the time.
  public func willDispatch(
    transaction: String,
    action: any FluxAction,
    in store: any FluxStoreType
  ) {
    let key = Key(transaction: transaction, store: ObjectIdentifier(store))
    let now = elapsed()
    started.withLock { $0[key] = now }
  }

  /// Writes the line.
  public func didDispatch(
    transaction: String,
    action: any FluxAction,
    in store: any FluxStoreType
  ) {
    let key = Key(transaction: transaction, store: ObjectIdentifier(store))
    guard let start = started.withLock({ $0.removeValue(forKey: key) }) else { return }
    log("\(transaction) \(store.identifier): \(action), \(seconds(elapsed() - start))")
  }

  /// Six decimals, independent of the locale.
  private func seconds(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let micros = String(attoseconds / 1_000_000_000_000)
    let padding = String(repeating: "0", count: max(0, 6 - micros.count))
    return "\(seconds).\(padding)\(micros) s"
  }
}
