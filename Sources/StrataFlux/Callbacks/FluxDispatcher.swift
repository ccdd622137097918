/// Broadcasts payloads to registered callbacks, which can wait for one another.
///
/// It differs from publish and subscribe in two ways: every payload goes to every callback, and a
/// callback can have other callbacks run before it continues.
///
/// ```swift
/// let dispatcher = FluxDispatcher<FlightForm>()
/// let country = dispatcher.register("country") { payload in
///   if case .selectCountry(let name) = payload { countryStore.country = name }
/// }
/// dispatcher.register("city") { [unowned dispatcher] payload in
///   guard case .selectCountry = payload else { return }
///   try dispatcher.waitFor([country])
///   cityStore.city = defaultCity(of: countryStore.country)
/// }
/// try dispatcher.dispatch(.selectCountry("Australia"))
/// ```
///
/// The rules are those of facebook/flux 4, unless noted otherwise:
///
/// - Callbacks run in the order of registration, except where ``waitFor(_:)`` runs one earlier. Each
///   callback runs exactly once per dispatch.
/// - The first error that leaves a callback ends the dispatch and is thrown to its caller. Callbacks
///   that have not started do not run, callbacks that have run are not undone, and the next dispatch
///   starts from a clean state.
/// - When a waiting callback catches an error, the dispatch continues. The callback that failed does
///   not run again; waiting for it throws its error again (facebook/flux reports a cycle there).
/// - A callback registered during a dispatch does not receive that payload, unless another callback
///   waits for it.
/// - A callback unregistered during a dispatch is skipped if it has not started, and finishes if it
///   is running.
/// - At most ``maximumDepth`` callbacks run inside one another.
///
/// A dispatcher is not `Sendable`: the dispatcher, its callbacks and what they capture stay in one
/// isolation domain. It holds its callbacks until they are unregistered, so a callback that uses the
/// dispatcher captures it `unowned`. It has no queue: a dispatch inside a dispatch throws.
///
/// For actions sent to several ``FluxStore``s, from any thread, use the hub ``Dispatcher`` instead.
public final class FluxDispatcher<Payload> {
  private struct Registration {
    let token: DispatchToken
    let callback: (Payload) throws -> Void
  }

  private let issuer = DispatchToken.Issuer()
  private var lastNumber = 0

  /// The keys of `registrations`, ascending, which is the order of registration.
  private var order: [Int] = []
  private var registrations: [Int: Registration] = [:]
  private var cycle: Cycle?

  /// Creates a dispatcher without callbacks.
  public init() {}

  /// How many callbacks can run inside one another by waiting: 64.
  ///
  /// Waiting nests calls, and a stack overflow cannot be reported as an error. On a thread with
  /// 512 KB of stack, 64 levels leave 8 KB for each, of which an unoptimized build uses 2 KB between
  /// one callback and the next (measured with Swift 6.3 on x86-64 Linux). Callbacks registered after
  /// the ones they wait for do not nest, whatever their number.
  public static var maximumDepth: Int { 64 }

  /// Whether a dispatch is in progress.
  ///
  /// O(1).
  public var isDispatching: Bool { cycle != nil }
}

extension FluxDispatcher {
  /// Adds a callback that receives every payload dispatched from now on.
  ///
  /// O(1) on average. During a dispatch, the new callback does not receive the current payload
  /// unless ``waitFor(_:)`` is called with its token (facebook/flux since 3.1.0). Registering one
  /// function twice returns two tokens, and the function runs twice.
  ///
  /// - Parameters:
  ///   - name: The name for error messages; without one they show the place of registration.
  ///   - fileID: The place of registration.
  ///   - line: The place of registration.
  ///   - callback: The code to run. An error from it ends the dispatch.
  /// - Returns: The token of this registration for ``waitFor(_:)`` and ``unregister(_:)``.
  @discardableResult
  public func register(
    _ name: String = "",
    fileID: String = #fileID,
    line: Int = #line,
    _ callback: @escaping (Payload) throws -> Void
  ) -> DispatchToken {
    lastNumber += 1
    let token = DispatchToken(
      name: name,
      issuer: issuer,
      number: lastNumber,
      place: "\(fileID):\(line)"
    )
    order.append(lastNumber)
    registrations[lastNumber] = Registration(token: token, callback: callback)
    return token
  }

  /// Removes a callback.
  ///
  /// O(n) in the number of callbacks. During a dispatch, a callback that has not started is skipped;
  /// a callback can remove itself and still finishes (facebook/flux since 3.1.0).
  ///
  /// - Throws: ``FluxError/unregisteredToken(_:)`` the second time, ``FluxError/foreignToken(_:)``.
  public func unregister(_ token: DispatchToken) throws(FluxError) {
    let removed = try registration(of: token)
    registrations[token.number] = nil
    order.removeAll { $0 == token.number }
    // Releasing the callback can run a deinit that unregisters another one. The removal must be
    // complete by then: overlapping access to one property is a trap.
    withExtendedLifetime(removed) {}
  }

  private func registration(of token: DispatchToken) throws(FluxError) -> Registration {
    guard token.issuer === issuer else { throw .foreignToken(token) }
    guard let registration = registrations[token.number] else { throw .unregisteredToken(token) }
    return registration
  }
}

extension FluxDispatcher {
  /// Sends a payload to every callback and returns when all have handled it.
  ///
  /// O(n) in the number of callbacks, besides their own work.
  ///
  /// - Throws: The error of a callback, unchanged; ``FluxError/dispatchInsideDispatch(from:)`` when
  ///   a callback calls it, in which case the current dispatch continues if that callback catches
  ///   the error.
  public func dispatch(_ payload: Payload) throws {
    if let path = cycle?.path { throw FluxError.dispatchInsideDispatch(from: path.last) }
    cycle = Cycle(payload: payload)
    defer {
      // Releasing the cycle, for example a caught error in it, can read `isDispatching`.
      let ended = cycle
      cycle = nil
      withExtendedLifetime(ended) {}
    }

    for number in order {
      guard let registration = registrations[number] else { continue }
      guard case .pending? = cycle?.status(of: registration.token) else { continue }
      try run(registration, with: payload)
    }
  }

  /// Runs the given callbacks now, in this order, before the calling callback continues.
  ///
  /// Callbacks that have already handled the payload do not run again. O(1) for each token, besides
  /// the callbacks' own work. When a token is refused, the tokens before it have run.
  ///
  /// - Throws: ``FluxError/waitForOutsideDispatch``; ``FluxError/circularWait(path:)`` when one of
  ///   them waits, directly or through others, for the caller;
  ///   ``FluxError/waitTooDeep(refused:limit:)``; ``FluxError/foreignToken(_:)``;
  ///   ``FluxError/unregisteredToken(_:)``, also for a callback that ran before it was removed; and
  ///   the error that a callback throws, or threw earlier in this dispatch.
  public func waitFor(_ tokens: [DispatchToken]) throws {
    guard let payload = cycle?.payload else { throw FluxError.waitForOutsideDispatch }

    for token in tokens {
      let registration = try registration(of: token)
      switch cycle?.status(of: token) {
      case .pending?: try run(registration, with: payload)
      case .running?: throw FluxError.circularWait(path: cycle?.path(closedBy: token) ?? [])
      case .failed(let error)?: throw error
      case .handled?, nil: continue
      }
    }
  }

  private func run(_ registration: Registration, with payload: Payload) throws {
    let token = registration.token
    try cycle?.start(token, limit: Self.maximumDepth)
    do {
      try registration.callback(payload)
    } catch {
      cycle?.end(token, .failed(error))
      throw error
    }
    cycle?.end(token, .handled)
  }
}

extension FluxDispatcher {
  /// The bookkeeping of one dispatch: which callbacks are running, and which have finished.
  ///
  /// Each dispatch starts with a new one and discards it at the end, so there is nothing to reset,
  /// however the dispatch ended.
  private struct Cycle {
    enum Status {
      case pending
      case running
      case handled
      case failed(any Error)
    }

    let payload: Payload

    /// The callbacks whose status is `running`, each started by the one before it.
    private(set) var path: [DispatchToken] = []
    private var statuses: [Int: Status] = [:]

    init(payload: Payload) {
      self.payload = payload
    }

    func status(of token: DispatchToken) -> Status {
      statuses[token.number] ?? .pending
    }

    /// The path from a running callback, through the callbacks it waits for, back to itself.
    func path(closedBy token: DispatchToken) -> [DispatchToken] {
      let start = path.firstIndex(of: token) ?? path.endIndex
      return path[start...] + [token]
    }

    mutating func start(_ token: DispatchToken, limit: Int) throws(FluxError) {
      guard path.count < limit else { throw .waitTooDeep(refused: token, limit: limit) }
      path.append(token)
      statuses[token.number] = .running
    }

    mutating func end(_ token: DispatchToken, _ status: Status) {
      path.removeLast()
      statuses[token.number] = status
    }
  }
}
