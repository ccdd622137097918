/// How far one dispatch has come, and what is to be done next.
///
/// Pure bookkeeping: ``DispatchTransaction`` holds the lock and does it. One thread at a time takes
/// steps: a store starts when those before it have started and those it waits for have finished;
/// observers are told when nothing more can start.
struct DispatchProgress: Sendable {
  enum Standing: Sendable {
    case waiting
    /// What was started for it; nothing as long as its reducer is asked.
    case running([OperationCore])
    /// Its operation has ended, its observers do not know yet.
    case ended(OperationOutcome)
    case done(OperationOutcome)

    var outcome: OperationOutcome? {
      switch self {
      case .waiting, .running: nil
      case .ended(let outcome), .done(let outcome): outcome
      }
    }
  }

  struct Seat: Sendable {
    let store: any HubStore
    /// The places of the seats that it waits for.
    let waitsFor: [Int]
    fileprivate(set) var standing = Standing.waiting
    fileprivate var tellObservers: (@Sendable () -> Void)?

    init(_ store: any HubStore, waitsFor: [Int]) {
      self.store = store
      self.waitsFor = waitsFor
    }
  }

  enum Step: Sendable {
    /// Find out whom the action reaches.
    case open
    /// Go on with what had to wait.
    case run(@Sendable () -> Void)
    case start(Int)
    case tell(Int)
    /// Say that all is done.
    case close
  }

  private enum Phase: Sendable {
    case new
    case opening
    case open
    case closed
  }

  private(set) var seats: [Seat] = []
  private(set) var middleware: [any Middleware] = []
  private(set) var refusal: DispatchError?
  private var phase = Phase.new
  private var jobs: [@Sendable () -> Void] = []
  private var isDriven = false
  /// What remains of the seats when all is done.
  private var failuresAtEnd: [StoreFailure] = []
  private(set) var isCancelled = false

  var isClosed: Bool { if case .closed = phase { true } else { false } }

  /// What is to be done next, if it can be done now.
  var next: Step? {
    switch phase {
    case .new: return .open
    case .opening, .closed: return nil
    case .open: break
    }
    if let job = jobs.first { return .run(job) }
    if let place = seats.firstIndex(where: canStart) { return .start(place) }
    if let place = seats.firstIndex(where: isToldNext) { return .tell(place) }
    return seats.allSatisfy { $0.standing.outcome != nil } ? .close : nil
  }

  /// Whether the caller is to take steps from now on; false while someone else does.
  mutating func beginDriving() -> Bool {
    guard !isDriven, next != nil else { return false }
    isDriven = true
    return true
  }

  /// The next step for whoever takes them, or nil: then it has stopped taking them.
  mutating func take() -> Step? {
    guard let step = next else {
      isDriven = false
      return nil
    }
    switch step {
    case .open: phase = .opening
    case .run: jobs.removeFirst()
    case .start(let place): seats[place].standing = .running([])
    case .tell(let place):
      if let outcome = seats[place].standing.outcome { seats[place].standing = .done(outcome) }
    case .close: phase = .closed
    }
    return step
  }

  /// Fixes whom the action reaches, in this order.
  mutating func open(_ seats: [Seat], _ middleware: [any Middleware]) {
    self.seats = seats
    self.middleware = middleware
    phase = .open
    if isCancelled { _ = cancel() }
  }

  /// Fixes that the action reaches nobody.
  mutating func refuse(_ error: DispatchError) {
    refusal = error
    phase = .open
  }

  /// Leaves a job for whoever takes steps; false when nobody will any more.
  mutating func add(_ job: @escaping @Sendable () -> Void) -> Bool {
    if !isClosed { jobs.append(job) }
    return !isClosed
  }

  /// Takes note of what a store does; false when it is too late to start it.
  mutating func hold(_ cores: [OperationCore], _ answer: StoreAnswer, at place: Int) -> Bool {
    guard case .running = seats[place].standing else { return false }
    seats[place].standing = .running(cores)
    seats[place].tellObservers = answer.tellObservers
    return true
  }

  /// What tells the observers of a seat, once.
  mutating func takeTelling(at place: Int) -> (@Sendable () -> Void)? {
    defer { seats[place].tellObservers = nil }
    return seats[place].tellObservers
  }

  /// Takes note of how the operation of a seat ended, and of the seats that can no longer start.
  mutating func end(_ place: Int, _ outcome: OperationOutcome) {
    guard seats.indices.contains(place), case .running = seats[place].standing else { return }
    seats[place].standing = .ended(outcome)
    if let error = outcome.error { failThose(waitingFor: place, error) }
  }

  private mutating func failThose(waitingFor place: Int, _ error: any Error) {
    for other in seats.indices where seats[other].waitsFor.contains(place) {
      guard case .waiting = seats[other].standing else { continue }
      seats[other].standing = .done(.failed(OperationError.waiting(for: error)))
    }
  }

  /// Ends what has not ended; gives the operations under way, for the caller to end.
  mutating func cancel() -> [OperationCore] {
    isCancelled = true
    var underWay: [OperationCore] = []
    for place in seats.indices {
      switch seats[place].standing {
      case .waiting: seats[place].standing = .done(.failed(OperationError.cancelled))
      case .running(let cores) where cores.isEmpty:
        seats[place].standing = .ended(.failed(OperationError.cancelled))
      case .running(let cores): underWay += cores
      case .ended, .done: break
      }
    }
    return underWay
  }

  /// Gives up, when all is done, whom the action reached: a store may hold its dispatch.
  mutating func letGo() -> (seats: [Seat], middleware: [any Middleware]) {
    failuresAtEnd = failures
    defer { (seats, middleware) = ([], []) }
    return (seats, middleware)
  }

  /// Why stores did not answer, in the order in which the action reached them.
  var failures: [StoreFailure] {
    failuresAtEnd
      + seats.compactMap { seat in
        seat.standing.outcome?.error.map { StoreFailure(store: seat.store.identifier, error: $0) }
      }
  }

  private func canStart(_ seat: Seat) -> Bool {
    guard case .waiting = seat.standing else { return false }
    return seat.waitsFor.allSatisfy { seats[$0].standing.outcome != nil }
  }

  private func isToldNext(_ seat: Seat) -> Bool {
    if case .ended = seat.standing { true } else { false }
  }
}
