import StrataBase
import TestSupport
import Testing

/// Mapping on several threads, with the outputs in order.
struct ParallelMapTests {
  private struct Stopped: Error, Equatable {
    let number: Int
  }

  private func squares(of count: Int, width: Int) throws -> [Int] {
    var next = 0
    var outputs: [Int] = []
    try ParallelMap.run(
      width: width,
      next: { () throws -> Int? in
        defer { next += 1 }
        return next < count ? next : nil
      },
      makeWorker: { { (number: Int) in number * number } },
      receive: { outputs.append($0) }
    )
    return outputs
  }

  @Test(arguments: [1, 2, 3, 8])
  func `outputs come in the order of the items, however many threads there are`(
    width: Int
  ) throws {
    for count in [0, 1, 2, 7, 1_000] {
      #expect(try squares(of: count, width: width) == (0..<count).map { $0 * $0 })
    }
  }

  @Test
  func `at most four items a thread are taken before their outputs are received`() throws {
    var taken = 0
    var received = 0
    var most = 0
    try ParallelMap.run(
      width: 3,
      next: { () throws -> Int? in
        guard taken < 500 else { return nil }
        taken += 1
        most = max(most, taken - received)
        return taken
      },
      makeWorker: { { (number: Int) in number } },
      receive: { _ in received += 1 }
    )
    #expect(received == 500)
    #expect(most == 12)
  }

  @Test
  func `each thread has a worker of its own`() throws {
    final class Worker {
      var isBusy = false

      func map(_ number: Int) -> Bool {
        defer { isBusy = false }
        if isBusy { return false }
        isBusy = true
        return true
      }
    }
    var next = 0
    var outputs: [Bool] = []
    try ParallelMap.run(
      width: 4,
      next: { () throws -> Int? in
        next += 1
        return next <= 2_000 ? next : nil
      },
      makeWorker: {
        let worker = Worker()
        return { (number: Int) in worker.map(number) }
      },
      receive: { outputs.append($0) }
    )
    #expect(outputs == Array(repeating: true, count: 2_000))
  }

  @Test
  func `an error of the receiver or of the source ends the work, and no thread goes on`() throws {
    let mapped = Lock(Count())
    func run(stoppingSource source: Int, receiver: Int) throws {
      var next = 0
      try ParallelMap.run(
        width: 4,
        next: { () throws -> Int? in
          next += 1
          if next == source { throw Stopped(number: source) }
          return next
        },
        makeWorker: {
          { (number: Int) in
            mapped.withLock { $0.number += 1 }
            return number
          }
        },
        receive: { if $0 == receiver { throw Stopped(number: receiver) } }
      )
    }
    #expect(throws: Stopped(number: 40)) { try run(stoppingSource: 40, receiver: 0) }
    #expect(throws: Stopped(number: 30)) { try run(stoppingSource: 0, receiver: 30) }
    let count = mapped.withLock { $0.number }
    #expect(count <= 39 + 30 + 16)
    // A thread that went on would count here.
    _ = try squares(of: 1_000, width: 4)
    #expect(mapped.withLock { $0.number } == count)
  }

  private struct Count {
    var number = 0
  }
}
