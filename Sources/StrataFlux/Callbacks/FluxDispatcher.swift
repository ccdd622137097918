/// Broadcasts payloads to registered callbacks, which may wait for one another.
///
/// It differs from publish and subscribe in two ways: every payload goes to every callback, and a
/// callback can have others run before it goes on.
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
/// Rules, those of facebook/flux 4 unless said otherwise:
///
/// - Callbacks run in the order of registration, except where ``waitFor(_:)`` pulls one forward;
///   each runs exactly once per dispatch.
/// - The first error that a callback lets out ends the dispatch and reaches its caller; callbacks
///   not yet reached do not run, those already run are not undone, and the next dispatch starts
///   clean.
/// - An error that a waiting callback catches is settled: the dispatch goes on. The callback that
///   failed is not run again, and waiting for it throws its error again (flux reports a circle
///   there).
/// - A callback registered during a dispatch does not see that payload, unless someone waits for
///   it.
/// - A callback unregistered during a dispatch before its turn is skipped; one that is running
///   finishes.
/// - At most ``maximumDepth`` callbacks run inside one another.
///
/// A dispatcher is not `Sendable`: it, its callbacks and what they capture live in one isolation.
/// It holds its callbacks until they are unregistered, so a callback that uses the dispatcher
/// captures it `unowned`. It does not queue: a dispatch inside a dispatch is refused.
public final class FluxDispatcher<Payload> {
  private struct Registration {
    let token: DispatchToken
    let callback: (Payload) throws -> Void
  }

  private let identity = DispatcherIdentity()
  private var lastNumber = 0

  /// The keys of `registrations`, ascending, which is the order of registration.
  private var order: [Int] = []
  private var registrations: [Int: Registration] = [:]
  private var cycle: DispatchCycle<Payload>?

  /// Creates a dispatcher without callbacks.
  public init() {}

  /// How many callbacks may run inside one another by waiting: 64.
  ///
  /// Waiting nests calls, and a stack that runs over cannot be reported. On a thread with 512 KB of
  /// stack, 64 leaves each level 8 KB, of which an unoptimized build uses 2 KB between one callback
  /// and the next (measured with Swift 6.3 on x86-64 Linux). Callbacks registered after the ones
  /// that they wait for do not nest at all, however many they are.
  public static var maximumDepth: Int { 64 }

  /// Whether a dispatch is going on.
  ///
  /// O(1).
  public var isDispatching: Bool { cycle != nil }
}

extension FluxDispatcher {
  /// Adds a callback that receives every payload dispatched from now on.
  ///
  /// O(1) on average. During a dispatch the new callback does not see the current payload, unless
  /// ``waitFor(_:)`` is called with its token (facebook/flux since 3.1.0). Registering one function
  /// twice gives two tokens, and it runs twice.
  ///
  /// - Parameters:
  ///   - name: What error messages call it; without one they show the place of registration.
  ///   - fileID: The place of registration.
  ///   - line: The place of registration.
  ///   - callback: What to run. An error from it ends the dispatch.
  /// - Returns: The name of this registration for ``waitFor(_:)`` and ``unregister(_:)``.
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
      dispatcher: identity,
      number: lastNumber,
      place: "\(fileID):\(line)"
    )
    order.append(lastNumber)
    registrations[lastNumber] = Registration(token: token, callback: callback)
    return token
  }

  /// Removes a callback.
  ///
  /// O(n) in the number of callbacks. During a dispatch a callback whose turn has not come is
  /// skipped; a callback may remove itself and finishes (facebook/flux since 3.1.0).
  ///
  /// - Throws: ``FluxError/unregisteredToken(_:)`` the second time, ``FluxError/foreignToken(_:)``.
  public func unregister(_ token: DispatchToken) throws(FluxError) {
    let removed = try registration(of: token)
    registrations[token.number] = nil
    order.removeAll { $0 == token.number }
    // What the callback alone held alive may unregister in its own deinit, which must find the
    // removal over: overlapping access to one property is a trap.
    withExtendedLifetime(removed) {}
  }

  private func registration(of token: DispatchToken) throws(FluxError) -> Registration {
    guard token.dispatcher === identity else { throw .foreignToken(token) }
    guard let registration = registrations[token.number] else { throw .unregisteredToken(token) }
    return registration
  }
}

extension FluxDispatcher {
  /// Gives a payload to every callback and returns when all have handled it.
  ///
  /// O(n) in the number of callbacks, besides their own work.
  ///
  /// - Throws: What a callback throws, as it is; ``FluxError/dispatchInsideDispatch(from:)`` when
  ///   called by a callback, in which case the dispatch under way goes on if that callback catches
  ///   the error.
  public func dispatch(_ payload: Payload) throws {
    if let path = cycle?.path { throw FluxError.dispatchInsideDispatch(from: path.last) }
    cycle = DispatchCycle(payload: payload)
    defer {
      // What goes with it, such as an error that was settled, may ask whether this is dispatching.
      let ended = cycle
      cycle = nil
      withExtendedLifetime(ended) {}
    }

    for number in order {
      guard let registration = registrations[number] else { continue }
      guard case .pending? = cycle?.standing(of: registration.token) else { continue }
      try run(registration, with: payload)
    }
  }

  /// Runs the given callbacks now, in this order, before the calling callback goes on.
  ///
  /// Those that have already handled the payload are left alone. O(1) for each token, besides the
  /// callbacks' own work. The tokens before one that is refused have run.
  ///
  /// - Throws: ``FluxError/waitForOutsideDispatch``; ``FluxError/circularWait(path:)`` when one of
  ///   them waits, directly or through others, for the caller;
  ///   ``FluxError/waitTooDeep(refused:limit:)``; ``FluxError/foreignToken(_:)``;
  ///   ``FluxError/unregisteredToken(_:)``, also for a callback that ran before it was removed; and
  ///   what a callback throws, or threw earlier in this dispatch.
  public func waitFor(_ tokens: [DispatchToken]) throws {
    guard let payload = cycle?.payload else { throw FluxError.waitForOutsideDispatch }

    for token in tokens {
      let registration = try registration(of: token)
      switch cycle?.standing(of: token) {
      case .pending?: try run(registration, with: payload)
      case .running?: throw FluxError.circularWait(path: cycle?.circle(closedBy: token) ?? [])
      case .failed(let error)?: throw error
      case .handled?, nil: continue
      }
    }
  }

  private func run(_ registration: Registration, with payload: Payload) throws {
    let token = registration.token
    try cycle?.begin(token, limit: Self.maximumDepth)
    do {
      try registration.callback(payload)
    } catch {
      cycle?.end(token, as: .failed(error))
      throw error
    }
    cycle?.end(token, as: .handled)
  }
}
