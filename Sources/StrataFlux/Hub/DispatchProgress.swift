/// How far one dispatch has come, and its next step.
///
/// A value without side effects: ``DispatchTransaction`` holds the lock and performs the steps. One
/// thread at a time performs steps. A store starts when the stores before it have started and the
/// stores it waits for have finished. Observers are notified when no other store can start.
struct DispatchProgress: Sendable {
  /// A store that the action reaches.
  struct Participant: Sendable {
    enum Status: Sendable {
      case waiting
      /// The operations started for it; empty while its reducer is being called.
      case running([OperationProgress])
      /// Its operation has ended; its observers have not been notified yet.
      case ended(OperationOutcome)
      case done(OperationOutcome)

      var outcome: OperationOutcome? {
        switch self {
        case .waiting, .running: nil
        case .ended(let outcome), .done(let outcome): outcome
        }
      }
    }

    let store: any HubStore
    /// The indices of the participants that it waits for.
    let waitsFor: [Int]
    fileprivate(set) var status = Status.waiting
    fileprivate var notifyObservers: (@Sendable () -> Void)?

    init(_ store: any HubStore, waitsFor: [Int]) {
      self.store = store
      self.waitsFor = waitsFor
    }
  }

  enum Step: Sendable {
    /// Find the stores that the action reaches.
    case open
    /// Run a job that was added meanwhile.
    case run(@Sendable () -> Void)
    /// Start the operation of a participant.
    case start(Int)
    /// Notify the observers of a participant.
    case notify(Int)
    /// Report that everything is done.
    case close
  }

  private enum Phase: Sendable {
    case new
    case opening
    case open
    case closed
  }

  private(set) var participants: [Participant] = []
  private(set) var middleware: [any Middleware] = []
  /// Why the action reached no store.
  private(set) var refusal: DispatchError?
  private(set) var isCancelled = false
  private var phase = Phase.new
  private var jobs: [@Sendable () -> Void] = []
  /// Whether a thread performs steps.
  private var isRunning = false
  /// The failures, kept when the participants are released.
  private var failuresAtEnd: [StoreFailure] = []

  /// Why the action did not reach its stores, or which stores failed so far.
  var error: DispatchError? {
    if let refusal { return refusal }
    let failures = failures
    return failures.isEmpty ? nil : .failed(failures)
  }

  var isClosed: Bool { if case .closed = phase { true } else { false } }

  /// The next step, if one can be performed now.
  var next: Step? {
    switch phase {
    case .new: return .open
    case .opening, .closed: return nil
    case .open: break
    }
    if let job = jobs.first { return .run(job) }
    if let index = participants.firstIndex(where: canStart) { return .start(index) }
    if let index = participants.firstIndex(where: canBeNotified) { return .notify(index) }
    return participants.allSatisfy { $0.status.outcome != nil } ? .close : nil
  }

  /// Whether the caller must perform steps from now on; false if another thread does, or if there
  /// are none.
  mutating func startRunning() -> Bool {
    guard !isRunning, next != nil else { return false }
    isRunning = true
    return true
  }

  /// Takes the next step; nil if there is none, and then the caller must stop performing steps.
  mutating func takeStep() -> Step? {
    guard let step = next else {
      isRunning = false
      return nil
    }
    switch step {
    case .open: phase = .opening
    case .run: jobs.removeFirst()
    case .start(let index): participants[index].status = .running([])
    case .notify(let index):
      if let outcome = participants[index].status.outcome {
        participants[index].status = .done(outcome)
      }
    case .close: phase = .closed
    }
    return step
  }

  /// Sets the stores that the action reaches, in this order.
  mutating func open(_ participants: [Participant], _ middleware: [any Middleware]) {
    self.participants = participants
    self.middleware = middleware
    phase = .open
    if isCancelled { _ = cancel() }
  }

  /// Records that the action reaches no store.
  mutating func refuse(_ error: DispatchError) {
    refusal = error
    phase = .open
  }

  /// Adds a job for the thread that performs steps; false if the dispatch is closed.
  mutating func add(_ job: @escaping @Sendable () -> Void) -> Bool {
    if !isClosed { jobs.append(job) }
    return !isClosed
  }

  /// Records the operations started for a store; false if it was cancelled meanwhile.
  mutating func didStart(
    _ operations: [OperationProgress],
    notifyObservers: @escaping @Sendable () -> Void,
    at index: Int
  ) -> Bool {
    guard case .running = participants[index].status else { return false }
    participants[index].status = .running(operations)
    participants[index].notifyObservers = notifyObservers
    return true
  }

  /// The function that notifies the observers of a participant; nil after the first call.
  mutating func takeNotification(at index: Int) -> (@Sendable () -> Void)? {
    defer { participants[index].notifyObservers = nil }
    return participants[index].notifyObservers
  }

  /// Records how the operation of a participant ended, and fails the participants that can no longer
  /// start.
  mutating func end(_ index: Int, _ outcome: OperationOutcome) {
    guard participants.indices.contains(index), case .running = participants[index].status else {
      return
    }
    participants[index].status = .ended(outcome)
    if let error = outcome.error { failParticipants(waitingFor: index, error) }
  }

  private mutating func failParticipants(waitingFor index: Int, _ error: any Error) {
    for other in participants.indices where participants[other].waitsFor.contains(index) {
      guard case .waiting = participants[other].status else { continue }
      participants[other].status = .done(.failed(OperationError.waiting(for: error)))
    }
  }

  /// Cancels what has not ended; returns the running operations, which the caller must end.
  mutating func cancel() -> [OperationProgress] {
    isCancelled = true
    var running: [OperationProgress] = []
    for index in participants.indices {
      switch participants[index].status {
      case .waiting: participants[index].status = .done(.failed(OperationError.cancelled))
      case .running(let operations) where operations.isEmpty:
        participants[index].status = .ended(.failed(OperationError.cancelled))
      case .running(let operations): running += operations
      case .ended, .done: break
      }
    }
    return running
  }

  /// Releases the stores and the middleware at the end: a store can hold its dispatch.
  mutating func release() -> (participants: [Participant], middleware: [any Middleware]) {
    failuresAtEnd = failures
    defer { (participants, middleware) = ([], []) }
    return (participants, middleware)
  }

  /// The stores that failed, in the order in which the action reached them.
  var failures: [StoreFailure] {
    failuresAtEnd
      + participants.compactMap { participant in
        participant.status.outcome?.error.map {
          StoreFailure(store: participant.store.identifier, error: $0)
        }
      }
  }

  private func canStart(_ participant: Participant) -> Bool {
    guard case .waiting = participant.status else { return false }
    return participant.waitsFor.allSatisfy { participants[$0].status.outcome != nil }
  }

  private func canBeNotified(_ participant: Participant) -> Bool {
    if case .ended = participant.status { true } else { false }
  }
}
