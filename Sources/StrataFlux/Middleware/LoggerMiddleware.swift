import StrataBase

/// Writes a line for every action a store was given: what, where, and how long it took.
///
/// ```
/// default-17 counter: increase, 0.000012 s
/// ```
///
/// The time runs from before the reducer is asked until the observers were told. The line shows the
/// whole action, so keep it from where its content must not go.
public final class LoggerMiddleware: Middleware {
  private struct Turn: Hashable {
    let transaction: String
    /// Not its name: two hubs may bear one, and so may their stores.
    let store: ObjectIdentifier
  }

  private let log: @Sendable (String) -> Void
  /// The time since the logger was created.
  private let elapsed: @Sendable () -> Duration
  private let begun = Lock<[Turn: Duration]>([:])

  /// Creates a logger.
  ///
  /// - Parameters:
  ///   - clock: What measures the time.
  ///   - log: What writes a line; unless given, it is printed.
  public init(
    clock: some Clock<Duration> = ContinuousClock(),
    log: @escaping @Sendable (String) -> Void = { print($0) }
  ) {
    self.log = log
    let start = clock.now
    elapsed = { start.duration(to: clock.now) }
  }

  /// Notes the time.
  public func willDispatch(
    transaction: String,
    action: any FluxAction,
    in store: any FluxStoreType
  ) {
    let turn = Turn(transaction: transaction, store: ObjectIdentifier(store))
    let now = elapsed()
    begun.withLock { $0[turn] = now }
  }

  /// Writes the line.
  public func didDispatch(
    transaction: String,
    action: any FluxAction,
    in store: any FluxStoreType
  ) {
    let turn = Turn(transaction: transaction, store: ObjectIdentifier(store))
    guard let start = begun.withLock({ $0.removeValue(forKey: turn) }) else { return }
    log("\(transaction) \(store.identifier): \(action), \(seconds(elapsed() - start))")
  }

  /// With six decimals, whatever the locale.
  private func seconds(_ duration: Duration) -> String {
    let (seconds, attoseconds) = duration.components
    let micros = String(attoseconds / 1_000_000_000_000)
    let padding = String(repeating: "0", count: max(0, 6 - micros.count))
    return "\(seconds).\(padding)\(micros) s"
  }
}
