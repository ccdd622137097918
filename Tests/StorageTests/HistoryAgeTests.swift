import StrataBase
import StrataJournal
import StrataStorage
import TestSupport
import Testing

private let day = HistoryAge.longestGap
private let minute: Int64 = 60_000_000

/// How old history is, by clocks that may be wrong.
struct HistoryAgeTests {
  private func age(of times: [Int64]) -> Int64 {
    var age = HistoryAge(since: times.first ?? 0)
    for time in times.dropFirst() { age.add(time) }
    return age.microseconds
  }

  @Test
  func `between two times at most one day counts`() {
    #expect(age(of: [0]) == 0)
    #expect(age(of: [0, 10, 30]) == 30)
    #expect(age(of: [0, day - 1, day + 5]) == day + 5)
    #expect(age(of: [0, 73 * 365 * day]) == day)
    #expect(age(of: [0, 5 * day, 5 * day + 7]) == day + 7)
  }

  @Test
  func `a step back counts as nothing, and extreme times do not overflow`() {
    #expect(age(of: [100, 40, 60]) == 20)
    #expect(age(of: [.min, .max]) == day)
    #expect(age(of: [.max, .min, .max]) == day)
  }

  /// A machine whose clock is set wrong and right again, and whose program starts again.
  private struct Machine {
    var random: SeededGenerator
    /// What has really passed.
    var real: Int64 = 1_700_000_000_000_000
    /// What the clock is wrong by.
    var offset: Int64 = 0
    var jumpsAhead = 0
    /// The monotonic time.
    let start = ContinuousClock.now
    var times = CommitTimes(after: 1_700_000_000_000_000)

    mutating func pass(_ range: ClosedRange<Int64>) {
      real += Int64.random(in: range, using: &random)
    }

    mutating func jump() {
      let by = Int64.random(in: 1...40 * 365 * day, using: &random)
      let next = Bool.random(using: &random) ? 0 : Bool.random(using: &random) ? by : -by
      if next > offset { jumpsAhead += 1 }
      offset = next
    }

    mutating func commit() -> Int64 {
      let instant = start.advanced(by: .microseconds(real))
      return times.next(real + offset, instant)
    }
  }

  @Test
  func `whatever clocks do, times do not go back, and no age is more than what has passed`() {
    let seed = randomSeed()
    for step in 0..<loopCount("STRATA_VALUES", 1_000) {
      var machine = Machine(random: SeededGenerator(seed: seed, step: step))
      var commits: [(real: Int64, jumps: Int, time: Int64)] = []
      for _ in 0..<30 {
        machine.pass(0...2 * day)
        switch Int.random(in: 0..<8, using: &machine.random) {
        case 0: machine.jump()
        case 1: machine.times = CommitTimes(after: machine.times.last)
        default: break
        }
        let time = machine.commit()
        commits.append((machine.real, machine.jumpsAhead, time))
      }
      #expect(commits.map(\.time) == commits.map(\.time).sorted(), "step \(step), seed \(seed)")
      for (index, first) in commits.enumerated() {
        guard let last = commits.last else { continue }
        let age = age(of: commits[index...].map(\.time))
        let passed = last.real - first.real
        let jumps = Int64(last.jumps - first.jumps)
        #expect(age <= passed + jumps * day, "commit \(index) of step \(step), seed \(seed)")
      }
    }
  }

  @Test
  func `with a clock that is right, an age is what has passed where no day is without a commit`() {
    let seed = randomSeed()
    for step in 0..<loopCount("STRATA_VALUES", 1_000) {
      var machine = Machine(random: SeededGenerator(seed: seed, step: step))
      var times: [Int64] = []
      let before = machine.real
      times.append(machine.commit())
      for _ in 0..<20 {
        machine.pass(0...day)
        times.append(machine.commit())
      }
      #expect(age(of: times) == machine.real - before, "step \(step), seed \(seed)")
    }
  }

  @Test
  func `while times are held, monotonic time counts`() {
    var times = CommitTimes(after: 1_000 * day)
    let start = ContinuousClock.now
    func next(_ now: Int64, after passed: Duration) -> Int64 {
      times.next(now, start.advanced(by: passed))
    }
    // The clock has stepped back by a year.
    let now = 635 * day
    #expect(next(now, after: .seconds(0)) == 1_000 * day)
    #expect(next(now + 5_000_000, after: .seconds(5)) == 1_000 * day + 5_000_000)
    #expect(next(now + 9_000_000, after: .seconds(86_400)) == 1_001 * day)
    // A monotonic clock does not go back; if it did, times would not.
    #expect(next(now, after: .seconds(1)) == 1_001 * day)
    // The clock is right again.
    #expect(next(1_002 * day, after: .seconds(2)) == 1_002 * day)
    // A second step back starts another count.
    #expect(next(now, after: .seconds(10)) == 1_002 * day)
    #expect(next(now, after: .seconds(11)) == 1_002 * day + 1_000_000)
  }

  @Test
  func `a small step back is waited out, without a look at the monotonic clock`() {
    var times = CommitTimes(after: 10 * minute)
    var looks = 0
    func instant() -> ContinuousClock.Instant {
      looks += 1
      return .now
    }
    #expect(times.next(9 * minute, instant()) == 10 * minute)
    #expect(times.next(10 * minute - 1, instant()) == 10 * minute)
    #expect(times.next(10 * minute + 1, instant()) == 10 * minute + 1)
    #expect(looks == 0)
    #expect(times.next(9 * minute, instant()) == 10 * minute + 1)
    #expect(looks == 1)
  }

  @Test
  func `times end with the year 9999`() {
    let last = StoredNumber.times.upperBound
    var times = CommitTimes(after: last - 5)
    let start = ContinuousClock.now
    #expect(times.next(0, start) == last - 5)
    #expect(times.next(0, start.advanced(by: .seconds(9))) == last)
  }
}
