import Dispatch
import Foundation

/// Maps items on several threads, and hands the outputs over in the order of the items.
///
/// The calling thread takes part, so that a single item, or a machine with one core, needs no other
/// thread. The others are threads of their own, outside the pool of Swift's concurrency: the work is
/// long and does not suspend, and tasks of the program go on meanwhile. All have ended when a call
/// returns.
package enum ParallelMap {
  /// How many threads work at once, at most.
  ///
  /// More than eight wait for the one that reads the file.
  package static var width: Int { min(Scheduling.current.parallelism, 8) }

  /// Calls `receive` with the output of each item that `next` returns, in order.
  ///
  /// At most four items for each thread are in memory, and their outputs. `next` and `receive` run
  /// on the calling thread; what they throw ends the work on the items that have not been started.
  ///
  /// - Parameter makeWorker: makes what maps items on one thread.
  package static func run<Item: Sendable, Output>(
    width: Int = width,
    next: () throws -> Item?,
    makeWorker: @escaping @Sendable () -> (Item) -> Output,
    receive: (Output) throws -> Void
  ) throws {
    let work = ParallelWork<Item, Output>(makeWorker)
    defer { work.end() }
    let worker = makeWorker()
    var isAtEnd = false
    var inFlight = 0
    while true {
      while !isAtEnd, inFlight < 4 * width {
        guard let item = try next() else {
          isAtEnd = true
          break
        }
        work.add(item)
        if inFlight > 0, work.threads < width - 1 { work.startThread() }
        inFlight += 1
      }
      guard inFlight > 0 else { return }
      try receive(work.nextOutput(helpingWith: worker))
      inFlight -= 1
    }
  }
}

/// The items of one call that wait for a thread, and the outputs that wait for their turn.
private final class ParallelWork<Item: Sendable, Output>: Sendable {
  private struct State {
    /// The items that were not started, the last one first.
    var waiting: [(number: Int, item: Item)] = []
    var outputs: [Int: Output] = [:]
    var added = 0
    var received = 0
    var threads = 0
    var hasEnded = false
  }

  private let state = Lock(State())
  private let makeWorker: @Sendable () -> (Item) -> Output
  private let group = DispatchGroup()

  init(_ makeWorker: @escaping @Sendable () -> (Item) -> Output) { self.makeWorker = makeWorker }

  var threads: Int { state.withLock { $0.threads } }

  func add(_ item: Item) {
    state.withLockSignalling { state in
      state.waiting.insert((state.added, item), at: 0)
      state.added += 1
    }
  }

  func startThread() {
    state.withLock { $0.threads += 1 }
    DispatchQueue(label: "strata.restore", qos: .userInitiated).async(group: group) { [self] in
      let worker = makeWorker()
      while let (number, item) = state.withLock(
        when: { !$0.waiting.isEmpty || $0.hasEnded },
        { $0.waiting.popLast() }
      ) {
        let output = worker(item)
        state.withLockSignalling { $0.outputs[number] = output }
      }
    }
  }

  /// The output of the oldest item that was not received; maps waiting items until it is there.
  func nextOutput(helpingWith worker: (Item) -> Output) -> Output {
    while true {
      let (output, taken) = state.withLock(
        when: { $0.outputs[$0.received] != nil || !$0.waiting.isEmpty }
      ) { state in
        let output = state.outputs.removeValue(forKey: state.received)
        if output != nil { state.received += 1 }
        return (output, output == nil ? state.waiting.popLast() : nil)
      }
      if let output { return output }
      if let (number, item) = taken {
        let output = worker(item)
        state.withLock { $0.outputs[number] = output }
      }
    }
  }

  /// Ends the threads and waits for them.
  func end() {
    state.withLockSignalling { state in
      state.waiting = []
      state.hasEnded = true
    }
    group.wait()
  }
}
