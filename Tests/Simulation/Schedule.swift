import Foundation
import ProductSupport
import StrataBase
import TestSupport

/// One run of a world, which a seed determines.
///
/// What happens in one:
///
/// - *Processes*: leaders, followers in a file and in memory, standbys; a process is killed, closed, started, or leads; a
///   machine gets a newer build, whose migration the next leader runs, or an older one; its disk is lost.
/// - *Commits* of several tables, flushes, marks that are awaited, snapshots, trimming, compaction, suspending, erasures,
///   looking back.
/// - *Networks*: calls that are lost, late, refused, not answered, or stopped; calls that arrive when their sender has
///   ended.
/// - *Archives*: one goes back to a copy of before, and is pruned. Clocks that jump.
/// - *Disks*: calls that fail, once or until the disk is healed; a full disk; a sync that fails; a power cut, which keeps,
///   drops or tears each sector that was not synced; sectors that cannot be read; a write that goes to another page; a bit
///   that changes, of an open file and of one at rest.
///
/// What none has: a PostgreSQL archive, followers of a file, several programs at one file, threads that really run at once,
/// and the system's own file locks and clocks. Tests with real threads, processes and servers have those.
///
/// A disk is a folder, in memory where the system has one, under SQLite's own file system with the faults between. There is
/// no second implementation of files and of the memory that the connections to a WAL share: it would be tested in place of
/// the one that programs use, a crash keeps nothing of that memory, and the rest of a file system that a crash shows is in
/// `FileImage`.
struct Schedule {
  /// What a world is made of.
  enum World: String, CaseIterable {
    /// One store on a disk whose calls fail, and whose power is cut.
    case disk
    /// Leaders and followers of an archive in memory.
    case memory
    /// Leaders and followers of an archive in a folder.
    case folder
  }

  /// What is wrong on purpose, to see that it is found.
  enum Bug: CustomStringConvertible {
    case withoutFence
    case archive(PlantedArchive.Bug)
    case disk(DiskLie, FileKind, every: Int)

    static let all: [Bug] =
      [.withoutFence] + PlantedArchive.Bug.allCases.map { .archive($0) } + [
        .disk(.forgetsSyncs, .wal, every: 1), .disk(.forgetsSyncs, .database, every: 1),
        .disk(.losesWrites, .database, every: 5), .disk(.misdirectsWrites, .database, every: 7),
        .disk(.flipsBits, .wal, every: 40),
      ]

    var description: String {
      switch self {
      case .withoutFence: "archive-without-fence"
      case .archive(let bug): "archive-\(bug.rawValue)"
      case .disk(let lie, let kind, _): "disk-\(lie.rawValue)-\(kind)"
      }
    }
  }

  struct Result {
    let trace: TraceHash
    let world: World
    let problems: [String]
    let steps: [String]
    /// Pieces of work that ran.
    let turns: Int
    /// The time that passed in the world.
    let time: Duration
  }

  let seed: UInt64
  var bug: Bug?
  /// The numbers of the steps, where others are left out.
  var only: Set<Int>?

  /// The schedules that have failed once, as the search printed them: they run before all others.
  static let failures = [
    Schedule(seed: 20_246, only: [1, 2, 3, 6]),
    Schedule(seed: 50_188, only: [0, 1, 2, 3, 4, 5, 6, 7, 10, 11, 13, 19, 24]),
    Schedule(seed: 50_291, only: [0, 1, 8, 9, 28]),
    Schedule(seed: 100_403, only: [8, 9, 16, 18, 33, 36]),
    Schedule(seed: 110_231, only: [0, 1, 2, 3, 4, 5, 6, 8, 9, 10, 11]),
    Schedule(
      seed: 110_495,
      only: [1, 2, 3, 4, 8, 9, 18, 19, 20, 21, 22, 27, 30, 32, 33, 37, 38, 39]
    ),
    Schedule(seed: 110_621, only: nil),
    Schedule(
      seed: 111_088,
      only: [21, 22, 24, 25, 26, 27, 28, 31, 32, 33, 35, 37, 39, 41, 45, 47, 49, 51]
    ),
    Schedule(seed: 111_284, only: [0, 1, 3, 4, 8, 10, 11, 24]),
    Schedule(seed: 201_323, only: [29, 30, 32, 38, 44, 45, 46, 47, 50]),
    Schedule(seed: 201_562, only: [6, 7, 9, 10, 15, 16, 22, 36, 47, 50, 52]),
    Schedule(seed: 210_913, only: [4, 5, 11]),
    Schedule(seed: 211_360, only: nil),
    Schedule(seed: 211_513, only: [1, 2, 3, 11, 14, 18, 19, 21, 22, 46, 47]),
    Schedule(seed: 212_434, only: [2, 3, 9, 10, 11, 12, 13, 14, 15, 18, 19, 23, 52, 53]),
    Schedule(seed: 260_729, only: [0, 1, 2, 4, 5, 6, 15, 16, 17, 18, 19, 20, 25, 27, 28, 29, 32]),
    Schedule(
      seed: 261_502,
      only: [1, 2, 4, 5, 6, 8, 9, 11, 12, 13, 15, 16, 17, 18, 19, 26, 28, 29, 41]
    ),
    Schedule(seed: 262_390, only: [0, 1, 2, 3, 4, 8]),
    Schedule(seed: 231_842, only: [1, 3, 8, 12, 13, 15, 17]),
    Schedule(seed: 310_088, only: [0, 1, 6, 7, 33, 34]),
    Schedule(seed: 310_363, only: [1, 9, 12, 25]),
    Schedule(seed: 310_555, only: [6, 8, 26, 30, 32]),
    Schedule(seed: 310_604, only: [19, 22]),
    Schedule(seed: 312_824, only: [0, 1, 2, 3, 4]),
    Schedule(seed: 400_220, only: [7, 8, 9, 10, 12]),
    Schedule(seed: 421_637, only: [13, 15, 18, 19, 29, 33, 35, 38]),
    Schedule(seed: 460_951, only: nil),
    Schedule(seed: 500_456, only: [19, 24, 25, 27, 38, 49]),
    Schedule(seed: 520_181, only: [3, 4, 5, 7, 9, 11, 31]),
    Schedule(seed: 601_375, only: [6, 7, 8, 10, 11, 12, 13, 14, 15, 16]),
    Schedule(
      seed: 621_733,
      only: [1, 3, 4, 5, 6, 14, 15, 17, 19, 20, 21, 38, 42, 43, 44, 46, 47]
    ),
    Schedule(seed: 663_182, only: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]),
    Schedule(
      seed: 1_001_698,
      only: [
        0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 19, 20, 22, 23, 25, 30, 31,
      ]
    ),
    Schedule(seed: 1_242_841, only: [0, 1, 3, 4, 5, 6, 7, 13, 19, 20, 21, 27]),
    Schedule(seed: 1_262_901, only: [20, 21, 23, 29, 30, 48, 53, 54, 55, 56, 58]),
    Schedule(
      seed: 2_362_930,
      only: [8, 9, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 25, 26]
    ),
    Schedule(
      seed: 3_321_324,
      only: [14, 16, 17, 18, 19, 20, 21, 25, 28, 30, 34, 35, 36, 37, 38, 40, 41]
    ),
    Schedule(seed: 3_321_509, only: [0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 13, 14, 15, 18, 20]),
    Schedule(seed: 4_600_346, only: nil),
    Schedule(seed: 4_100_013, only: [1, 2, 5, 6, 7, 16, 17, 19]),
    Schedule(
      seed: 3_742_237,
      only: [
        0, 1, 2, 3, 5, 6, 7, 8, 9, 10, 11, 14, 16, 17, 18, 19, 21, 22, 23, 24, 26, 27, 29, 30, 31,
        32, 33, 34, 36, 37, 39, 40, 41, 42, 45, 46, 47,
      ]
    ),
    Schedule(
      seed: 212_494,
      only: [
        0, 2, 3, 4, 10, 11, 12, 21, 22, 24, 25, 26, 27, 28, 30, 31, 32, 33, 34, 36, 37, 38, 39, 40,
        41,
      ]
    ),
    Schedule(seed: 235_577_735, only: [0, 2, 3, 7, 8, 9, 34, 35, 36]),
    Schedule(seed: 641_002_318, only: [0, 16, 18, 19, 20, 21, 22, 24, 26, 28]),
    Schedule(seed: 700_000_898, only: [1, 2, 3, 4, 5, 6, 7, 10, 15, 21]),
    Schedule(seed: 700_005_173, only: [0, 1, 2, 3, 4, 5, 19]),
    Schedule(seed: 700_013_468, only: [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]),
  ]

  private var world: World {
    switch bug {
    case nil: World.allCases[Int(seed % UInt64(World.allCases.count))]
    case .withoutFence: .memory
    case .archive: seed % 2 == 0 ? .memory : .folder
    case .disk: .disk
    }
  }

  /// Runs it to its end in the calling thread.
  func run() -> Result {
    let scheduler = SimulatedScheduler(seed: seed)
    Scheduling.current = scheduler
    TaskHooks.scheduler.withLock { $0 = scheduler }
    let outcome = Lock<Outcome?>(nil)
    Task.detached { [self] in
      let found = await live()
      outcome.withLock { $0 = found }
    }
    var stuck: [String] = []
    while outcome.withLock({ $0 == nil }) {
      if scheduler.clock > Self.limit {
        stuck.append("seed \(seed): not at its end after an hour of its time")
        break
      }
      guard scheduler.step() else {
        stuck.append("seed \(seed): something waits, and nothing is left that could end it")
        break
      }
    }
    let found = outcome.withLock { $0 } ?? Outcome()
    // The folder it runs in is no part of the world.
    for text in found.steps + found.problems { scheduler.note(text.withoutTemporaryPath) }
    let (trace, turns, clock) = (scheduler.trace, scheduler.turns, scheduler.clock)
    if stuck.isEmpty {
      // What is left over ends, such as timers of what is closed.
      let end = clock + Self.limit
      while scheduler.clock < end, scheduler.step() {}
      if scheduler.clock >= end { stuck.append("seed \(seed): what is closed goes on working") }
    }
    scheduler.end()
    return Result(
      trace: trace,
      world: world,
      problems: found.problems + stuck,
      steps: found.steps,
      turns: turns,
      time: .nanoseconds(clock)
    )
  }

  private static let limit: Int64 = 3_600_000_000_000

  private struct Outcome {
    var problems: [String] = []
    var steps: [String] = []
  }

  /// What the seed makes of it: the seed of the world, and how many steps there are.
  private var plan: (seed: UInt64, steps: Int) {
    var random = SeededGenerator(seed: seed ^ 0x5EED)
    return (random.next(), 8 + Int(random.next() % 60))
  }

  private func live() async -> Outcome {
    do {
      switch world {
      case .disk: return try await liveOnDisk()
      case .memory, .folder: return try await liveWithArchive()
      }
    } catch {
      return Outcome(problems: ["seed \(seed): \(error)"])
    }
  }

  private func liveOnDisk() async throws -> Outcome {
    var lie: (DiskLie, FileKind, every: Int)?
    if case .disk(let kind, let file, let every) = bug { lie = (kind, file, every) }
    var run = try await StoreModelRun(seed: plan.seed, lie: lie)
    var problems: [String] = []
    do {
      try await run.run(steps: plan.steps, only: only)
    } catch {
      problems.append("\(error)")
    }
    return Outcome(problems: run.problems + problems, steps: run.steps)
  }

  private func liveWithArchive() async throws -> Outcome {
    let directory = try TemporaryDirectory()
    var fence = MemoryArchive.Fence.on
    if case .withoutFence = bug { fence = .off }
    let place: any ArchivePlace =
      world == .memory ? MemoryPlace(fence: fence) : FolderPlace(in: directory)
    var planted: PlantedArchive.Bug?
    if case .archive(let bug) = bug { planted = bug }
    let run = try ArchiveFaultRun(seed: plan.seed, in: place, directory, bug: planted)
    var problems: [String] = []
    do {
      _ = try await run.run(steps: plan.steps, only: only)
    } catch {
      problems.append("seed \(seed): \(error)")
    }
    let summary = await run.summary
    return Outcome(problems: summary.problems + problems, steps: summary.steps)
  }
}

/// Making a failure small.
extension Schedule {
  /// The same schedule with fewer steps, and its problems.
  ///
  /// It leaves out halves of the steps, then quarters, and so on, as long as something fails (Zeller, Hildebrandt:
  /// Simplifying and isolating failure-inducing input, 2002).
  func shrunk() -> (schedule: Schedule, problems: [String]) {
    var (smallest, problems) = (Set(0..<plan.steps), run().problems)
    var size = plan.steps / 2
    while size > 0 {
      for start in stride(from: 0, to: plan.steps, by: size) {
        let fewer = smallest.subtracting(start..<start + size)
        if fewer == smallest { continue }
        let found = Schedule(seed: seed, only: fewer).run().problems
        if !found.isEmpty { (smallest, problems) = (fewer, found) }
      }
      size /= 2
    }
    return (Schedule(seed: seed, only: smallest), problems)
  }

  /// How Scripts/simulate runs it again.
  var arguments: String {
    let numbers = only.map { $0.sorted().map(String.init).joined(separator: ",") }
    return "--seed \(seed)" + (numbers.map { " --only \($0)" } ?? "")
  }

  /// It as a line of ``failures``.
  var source: String { "Schedule(seed: \(seed), only: \(only.map { "\($0.sorted())" } ?? "nil"))" }
}
