import Foundation
import StrataBase
import TestSupport

/// Runs everything in the calling thread, in an order that a seed chooses.
///
/// Each piece of work that becomes ready gets a delay from the seed, of at most the ``jitter``, and the one whose time
/// comes first runs next. Time stands still while something runs, and jumps to the next piece of work then: nothing waits
/// in real time. A queue keeps the order of its work.
///
/// Only one thread uses it, so it has no lock.
final class SimulatedScheduler: Scheduler, @unchecked Sendable {
  private struct Event {
    let time: Int64
    /// What the seed gave it: decides between events of one time.
    let rank: UInt64
    let label: StaticString
    let work: () -> Void

    static func < (a: Event, b: Event) -> Bool { (a.time, a.rank) < (b.time, b.rank) }
  }

  private var random: SeededGenerator
  /// The longest time, in nanoseconds, until work that is ready runs.
  private let jitter: Int64
  /// A binary heap: the next one is the first.
  private var events: [Event] = []
  private var sleepers: [Int: CheckedContinuation<Void, any Error>] = [:]
  private var lastSleeper = 0
  /// The nanoseconds that have passed.
  private(set) var clock: Int64 = 0
  private let start = ContinuousClock.now
  private(set) var trace = TraceHash()
  /// How many pieces of work have run.
  private(set) var turns = 0

  init(seed: UInt64) {
    random = SeededGenerator(seed: seed)
    let jitters: [Int64] = [0, 10_000, 200_000, 2_000_000, 20_000_000]
    jitter = jitters[Int(random.next() % 5)]
  }

  /// Work becomes ready.
  func ready(_ label: StaticString, after delay: Duration = .zero, _ work: @escaping () -> Void) {
    var time = clock + max(0, delay.nanoseconds)
    if jitter > 0 { time += Int64(random.next() % UInt64(jitter)) }
    events.append(Event(time: time, rank: random.next(), label: label, work: work))
    var index = events.count - 1
    while index > 0, events[index] < events[(index - 1) / 2] {
      events.swapAt(index, (index - 1) / 2)
      index = (index - 1) / 2
    }
  }

  private func next() -> Event? {
    guard let first = events.first, let last = events.popLast() else { return nil }
    if events.isEmpty { return first }
    events[0] = last
    var index = 0
    while true {
      let children = (2 * index + 1)..<min(2 * index + 3, max(2 * index + 1, events.count))
      guard let least = children.min(by: { events[$0] < events[$1] }),
        events[least] < events[index]
      else { return first }
      events.swapAt(index, least)
      index = least
    }
  }

  /// Runs the next piece of work; false if there is none.
  func step() -> Bool {
    guard let event = next() else { return false }
    clock = max(clock, event.time)
    turns += 1
    trace.add(UInt64(clock))
    trace.add(UInt64(UInt(bitPattern: event.label.utf8CodeUnitCount)))
    event.work()
    return true
  }

  /// Releases what waits to run: what its release does is part of this run, not of the next one.
  func end() { events = [] }

  /// Notes something that a run of the same seed must repeat.
  func note(_ text: String) { trace.add(text) }

  func makeQueue(label: String) -> any WorkQueue { SimulatedQueue(self) }

  var now: ContinuousClock.Instant { start + .nanoseconds(clock) }

  /// Days like any other: the first one is 2026-01-01.
  var date: Date { Date(timeIntervalSince1970: 1_767_225_600 + Double(clock) / 1e9) }

  func uuid() -> UUID { random.uuid() }

  func sleep(for duration: Duration) async throws {
    lastSleeper += 1
    let id = lastSleeper
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation {
        (continuation: CheckedContinuation<Void, any Error>) in
        if Task.isCancelled { return continuation.resume(throwing: CancellationError()) }
        sleepers[id] = continuation
        ready("timer", after: duration) { [self] in sleepers.removeValue(forKey: id)?.resume() }
      }
    } onCancel: {
      sleepers.removeValue(forKey: id)?.resume(throwing: CancellationError())
    }
  }

  func yield() async {
    await withCheckedContinuation { continuation in ready("yield") { continuation.resume() } }
  }

  func block(for duration: Duration) {
    var isOver = false
    ready("block", after: duration) { isOver = true }
    park(until: { isOver }) {}
  }

  func park(until isReady: () -> Bool, wait: () -> Void) {
    while !isReady() {
      guard step() else { fatalError("A thread waits for something that nothing does any more.") }
    }
  }

  var parallelism: Int { 1 }
}

/// Work in its order, each piece of which the scheduler runs when it likes.
private final class SimulatedQueue: WorkQueue, @unchecked Sendable {
  private let scheduler: SimulatedScheduler
  private var waiting: [() -> Void] = []
  private(set) var isCurrent = false
  /// Whether a turn of the queue is ready, or runs.
  private var hasTurn = false

  init(_ scheduler: SimulatedScheduler) { self.scheduler = scheduler }

  func enqueue(at _: TaskPriority?, _ work: @escaping @Sendable () -> Void) {
    waiting.append(work)
    takeTurn()
  }

  func enqueue(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    scheduler.ready("delayed", after: delay) { [self] in enqueue(work) }
  }

  private func takeTurn() {
    if hasTurn || waiting.isEmpty { return }
    hasTurn = true
    scheduler.ready("queue") { [self] in
      runFirst()
      hasTurn = false
      takeTurn()
    }
  }

  private func runFirst() {
    if waiting.isEmpty { return }
    let work = waiting.removeFirst()
    isCurrent = true
    work()
    isCurrent = false
  }

  func runNow<R>(_ action: () -> R) -> R {
    // What runs is blocked in the middle, as it waits for other work.
    scheduler.park(until: { !isCurrent }) {}
    while !waiting.isEmpty { runFirst() }
    isCurrent = true
    defer { isCurrent = false }
    return action()
  }
}

/// A hash over what a run did: FNV-1a of 64 bits.
struct TraceHash: CustomStringConvertible {
  private var value: UInt64 = 0xCBF2_9CE4_8422_2325

  mutating func add(_ byte: UInt8) { value = (value ^ UInt64(byte)) &* 0x100_0000_01B3 }

  mutating func add(_ number: UInt64) {
    for shift in stride(from: 0, to: 64, by: 8) { add(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  mutating func add(_ text: String) { for byte in text.utf8 { add(byte) } }

  var description: String {
    let digits = String(value, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}

extension Duration {
  fileprivate var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    // A timer of years does not ring.
    if seconds > 1 << 30 { return 1 << 60 }
    return seconds * 1_000_000_000 + attoseconds / 1_000_000_000
  }
}
