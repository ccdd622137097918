import Foundation
import TestSupport

/// Prints a line at once, as a failure may be followed by the end of the process.
func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

/// Runs schedules; Scripts/simulate says how, and ``Schedule`` what happens in one.
struct Simulation {
  static let usage = """
    Simulation --seed N                one schedule: prints its trace
    Simulation --seed N --minutes M    N, N+1 … for that time
    Simulation --seed N --count K      N, N+1 … so many
    Simulation --planted               looks for each planted bug
    --twice runs each schedule twice and compares the traces; --steps prints what happened; --only 3,4 takes
    these steps

    """

  private var seed = randomSeed()
  private var end: ContinuousClock.Instant?
  private var count = 1
  private var isPlanted = false
  private var isTwice = false
  private var printsSteps = false
  private var only: Set<Int>?

  init?(_ arguments: [String]) {
    var arguments = arguments[...]
    while let option = arguments.popFirst() {
      switch option {
      case "--planted": isPlanted = true
      case "--twice": isTwice = true
      case "--steps": printsSteps = true
      case "--only":
        guard let numbers = arguments.popFirst()?.split(separator: ",").map({ Int($0) }),
          !numbers.contains(nil)
        else { return nil }
        only = Set(numbers.compactMap(\.self))
      case "--seed", "--count", "--minutes":
        guard let number = arguments.popFirst().flatMap({ UInt64($0) }) else { return nil }
        switch option {
        case "--seed": seed = number
        case "--count": count = Int(number)
        default: end = .now + .seconds(60 * Int64(number))
        }
      default: return nil
      }
    }
  }

  /// The exit code.
  func run() -> Int32 { isPlanted ? runPlanted() : runSeeds() }

  private func runSeeds() -> Int32 {
    let started = ContinuousClock.now
    var (schedules, failed, turns) = (0, 0, 0)
    var time = Duration.zero
    var next = seed
    var failures = count > 1 || end != nil ? Schedule.failures[...] : []
    while !failures.isEmpty || (end.map { .now < $0 } ?? (schedules < count)) {
      var schedule = Schedule(seed: next, only: only)
      if let failure = failures.popFirst() { schedule = failure } else { next += 1 }
      let result = schedule.run()
      schedules += 1
      turns += result.turns
      time += result.time
      var problems = result.problems
      if isTwice, "\(schedule.run().trace)" != "\(result.trace)" {
        problems.append("seed \(schedule.seed): another trace")
      }
      if schedules == 1 { say("seed \(schedule.seed): \(result.world)\ntrace \(result.trace)") }
      if printsSteps { for step in result.steps { say(step) } }
      if problems.isEmpty { continue }
      failed += 1
      say("FAILED: seed \(schedule.seed), \(result.world)")
      for problem in problems { say("  \(problem)") }
      say("  again: Scripts/simulate \(schedule.arguments) --steps")
      if !result.problems.isEmpty, schedule.only == nil { shrink(schedule) }
    }
    if schedules > 1 {
      let seconds = (ContinuousClock.now - started) / .seconds(1)
      say(
        """
        \(turns) turns, \(Int(time / .seconds(1))) s of simulated time in \(Int(seconds)) s, \
        \(Int(Double(schedules) / seconds * 60)) schedules a minute; \(failed) failed
        \(schedules) schedules
        """
      )
    }
    return failed == 0 ? 0 : 1
  }

  private func shrink(_ schedule: Schedule) {
    let (smallest, problems) = schedule.shrunk()
    say("  with fewer steps: Scripts/simulate \(smallest.arguments) --steps")
    for problem in problems { say("    \(problem)") }
    say("  for Schedule.failures: \(smallest.source)")
  }

  /// Searches for each planted bug among 500 schedules.
  private func runPlanted() -> Int32 {
    var missed = 0
    for bug in Schedule.Bug.all {
      var found: UInt64?
      for next in seed..<seed + 500 where found == nil {
        if !Schedule(seed: next, bug: bug).run().problems.isEmpty { found = next }
      }
      if let found {
        say("\(bug): found by seed \(found) after \(found - seed + 1) schedules")
      } else {
        missed += 1
        say("\(bug): NOT FOUND in 500 schedules")
      }
    }
    return missed == 0 ? 0 : 1
  }
}

func complain(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }

guard let simulation = Simulation(Array(CommandLine.arguments.dropFirst())) else {
  complain(Simulation.usage)
  exit(64)
}
guard ProcessInfo.processInfo.environment["SWIFT_DETERMINISTIC_HASHING"] != nil else {
  complain("Sets and dictionaries have another order in each process: use Scripts/simulate.\n")
  exit(64)
}
guard TaskHooks.install() else {
  complain("This Swift runtime lets nobody else schedule tasks: nothing can be simulated.\n")
  exit(69)
}
exit(simulation.run())
