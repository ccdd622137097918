import CBenchmarks
import Foundation
import Strata
import Synchronization

/// Commits of a thread that must not wait, and of threads that run ahead of a slow subscriber.
struct DeliveryBenchmark: Benchmark {
  let name = "delivery"

  func run(_ plan: Plan) async throws -> [Line] {
    [await beside(plan)] + (await behind(plan))
  }

  /// One commit on the main thread while another thread commits every 0.3 ms and a subscriber takes 0.5 ms.
  private func beside(_ plan: Plan) async -> Line {
    let quiet = Store<Heavy, Never>(initialState: Heavy())
    let busy = Store<Heavy, Never>(initialState: Heavy())
    let subscriptions = [quiet, busy].map { store in
      store.sinkState(first: .nextCommit) { _ in Self.spend(.microseconds(500)) }
    }
    let others = Committers(1) {
      busy.commit { $0.count += 1 }
      Self.spend(.microseconds(300))
    }
    let repetitions = plan.repetitions(1_000)
    let pairs = await plan.rounds.alternate(
      ours: { await Self.commits(repetitions, to: busy) },
      peer: { await Self.commits(repetitions, to: quiet) }
    )
    others.stop()
    subscriptions.forEach { $0.cancel() }
    return Line(
      id: "memory.delivery.main",
      section: .inMemory,
      work: "commit on the main thread, another commits every 0.3 ms, sink of 0.5 ms",
      peer: "the same without the other",
      comparison: .cost,
      goal: 1,
      remark: "must stay below 0.1 s",
      pairs: pairs
    )
  }

  /// What four threads that commit without a pause leave waiting for a subscriber of 0.1 ms.
  private func behind(_ plan: Plan) async -> [Line] {
    let atRest = Heavy.living.load(ordering: .relaxed)
    let bytesAtRest = benchmark_heap_bytes()
    let store = Store<Heavy, Never>(initialState: Heavy())
    let most = Most()
    let subscription = store.sinkState(first: .nextCommit) { _ in
      Self.spend(.microseconds(100))
      most.note(
        versions: Heavy.living.load(ordering: .relaxed) - atRest,
        bytes: benchmark_heap_bytes() - bytesAtRest
      )
    }
    let committers = Committers(4) { store.commit { $0 = Heavy(count: $0.count + 1) } }
    try? await Task.sleep(for: plan.isQuick ? .milliseconds(100) : .seconds(3))
    committers.stop()
    subscription.cancel()
    var (versions, bytes) = (Pairs(), Pairs())
    versions.add(ours: Double(most.versions), peer: 1)
    bytes.add(ours: Double(most.bytes), peer: 1)
    let work = "four threads commit 8 kB each, sink of 0.1 ms"
    return [
      Line(
        id: "memory.delivery.versions",
        section: .inMemory,
        work: "\(work): versions that are held",
        peer: Line.itself,
        unit: .entities,
        comparison: .cost,
        limit: 2_000,
        pairs: versions
      ),
      Line(
        id: "memory.delivery.bytes",
        section: .inMemory,
        work: "\(work): memory",
        peer: Line.itself,
        unit: .bytes,
        comparison: .cost,
        limit: 64 * 1_024 * 1_024,
        pairs: bytes
      ),
    ]
  }

  @MainActor
  private static func commits(_ count: Int, to store: Store<Heavy, Never>) -> Double {
    nanoseconds(per: count) {
      for _ in 0..<count { store.commit { $0.count += 1 } }
    }
  }

  /// Keeps a thread at work.
  private static func spend(_ duration: Duration) {
    let end = ContinuousClock.now + duration
    while ContinuousClock.now < end {}
  }
}

/// A state of 8 kB that is counted as long as it is held.
private struct Heavy: StateType {
  private final class Mark: Sendable {
    let bytes = [UInt8](repeating: 1, count: 8_192)
    init() { Heavy.living.add(1, ordering: .relaxed) }
    deinit { Heavy.living.subtract(1, ordering: .relaxed) }
  }

  static let living = Atomic(0)

  private let mark = Mark()
  var count = 0

  init(count: Int = 0) { self.count = count }
}

/// Threads that repeat some work until they are stopped.
private final class Committers: Sendable {
  private let isOver = Atomic(false)
  private let group = DispatchGroup()

  init(_ count: Int, _ work: @escaping @Sendable () -> Void) {
    for _ in 0..<count {
      DispatchQueue.global().async(group: group) { [self] in
        while !isOver.load(ordering: .relaxed) { work() }
      }
    }
  }

  func stop() {
    isOver.store(true, ordering: .relaxed)
    group.wait()
  }
}

/// The most that was held at a time.
private final class Most: Sendable {
  private let values = Mutex((versions: 0, bytes: 0))

  var versions: Int { values.withLock { $0.versions } }
  var bytes: Int { values.withLock { $0.bytes } }

  func note(versions: Int, bytes: Int) {
    values.withLock { $0 = (max($0.versions, versions), max($0.bytes, bytes)) }
  }
}
