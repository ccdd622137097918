import ArgumentParser
import Foundation

/// Runs each benchmark in processes of its own and prints one table.
@main
struct Benchmarks: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "benchmarks",
    abstract: "Compares Strata with its peers, as ratios of one run."
  )

  @Flag(help: "A short check that everything runs, without meaningful results.")
  var quick = false

  @Option(help: "Run only the benchmarks whose name contains this text.")
  var only: String?

  @Option(help: "The number of processes per benchmark.")
  var processes: Int?

  @Option(help: "A folder for temporary files, on the disk to measure.")
  var directory = FileManager.default.temporaryDirectory.path

  @Option(help: "Write the results to this file as JSON.")
  var json: String?

  @Option(help: "Write the tables to this file as Markdown.")
  var markdown: String?

  @Flag var thresholdUse: ThresholdUse?

  @Option(help: "The folder of the thresholds.")
  var thresholds = "Benchmarks/Thresholds"

  @Option(help: "The command strata, to measure it.")
  var strata: String?

  @Option(help: "The URL of a PostgreSQL server of its own, for archives there.")
  var postgres: String?

  @Option(help: .hidden)
  var child: String?

  @Option(help: .hidden)
  var migrate: String?

  @Option(parsing: .remaining, help: .hidden)
  var measure: [String] = []

  func validate() throws {
    if let processes, processes < 1 { throw ValidationError("--processes must be at least 1.") }
    if quick, let thresholdUse {
      throw ValidationError(
        "--\(thresholdUse.rawValue) needs a whole run: the ratios of --quick are meaningless."
      )
    }
  }

  func run() async throws {
    if !measure.isEmpty {
      FileHandle.standardOutput.write(try JSONEncoder().encode(CommandRun.here(measure)))
      return
    }
    if let migrate {
      if !migrate.isEmpty { try await MigrationBenchmark.migrate(migrate) }
      return
    }
    let plan = Plan(isQuick: quick, directory: directory)
    let benchmarks = Catalog.all(quick: quick, strata: strata, postgres: postgres)
    if let child {
      guard let benchmark = benchmarks.first(where: { $0.name == child }) else {
        throw ValidationError("There is no benchmark named \(child).")
      }
      FileHandle.standardOutput.write(try JSONEncoder().encode(await benchmark.run(plan)))
      return
    }
    let chosen = benchmarks.filter { only.map($0.name.contains) ?? true }
    guard !chosen.isEmpty else {
      let names = benchmarks.map(\.name).joined(separator: ", ")
      throw ValidationError(
        "No benchmark has a name that contains \(only ?? ""). The names are: \(names)."
      )
    }
    let scope: Thresholds.Scope = only == nil ? .all : .some
    // An unreadable file is reported before the run and not after it.
    var known = thresholdUse == nil ? Thresholds() : try Thresholds(folder: thresholds)
    let measured = try measure(chosen.map(\.name))
    var lines = measured.flatMap(\.lines)
    if quick { for index in lines.indices { (lines[index].goal, lines[index].limit) = (nil, nil) } }
    let report = Report(environment: .current(), lines: lines)
    print(report.environment.sentence, report.text(), separator: "\n\n")
    if quick { print("A quick run only checks that everything runs. Its results are meaningless.") }
    if let json { try report.json().write(to: URL(fileURLWithPath: json)) }
    if let markdown { try Data(report.markdown().utf8).write(to: URL(fileURLWithPath: markdown)) }
    switch thresholdUse {
    case .check: try check(measured, against: known, of: scope)
    case .record:
      known.record(lines, of: scope)
      try known.write(to: thresholds)
      let count = lines.filter(\.hasRatio).count
      print("The thresholds of \(count) lines are recorded in \(thresholds).")
    case nil: break
    }
  }

  /// Measures the benchmarks of lines that are outside again, and fails with exit code 1.
  private func check(
    _ measured: [(benchmark: String, lines: [Line])],
    against thresholds: Thresholds,
    of scope: Thresholds.Scope
  ) throws {
    var check = ThresholdCheck(measured.flatMap(\.lines), against: thresholds, of: scope)
    while !check.linesToRepeat.isEmpty {
      let ids = Set(check.linesToRepeat)
      progress(
        "Outside, so measured again: \(check.linesToRepeat.joined(separator: ", "))",
        end: "\n"
      )
      let again = measured.filter { $0.lines.contains { ids.contains($0.id) } }
      check.add(try measure(again.map(\.benchmark)).flatMap(\.lines))
    }
    print(check.text())
    if !check.isPassed { throw ExitCode.failure }
  }

  /// Runs benchmarks one after the other.
  private func measure(_ names: [String]) throws -> [(benchmark: String, lines: [Line])] {
    try names.enumerated().map { index, name in
      progress("\(index + 1) of \(names.count): \(name)", end: "")
      let start = ContinuousClock.now
      let lines = try measure(name)
      progress(", \((ContinuousClock.now - start).components.seconds) s", end: "\n")
      return (name, lines)
    }
  }

  private func measure(_ name: String) throws -> [Line] {
    let runs = try (0..<(processes ?? (quick ? 1 : 3))).map { _ in
      try ChildRun.lines(
        of: name,
        quick: quick,
        directory: directory,
        strata: strata,
        postgres: postgres
      )
    }
    guard let first = runs.first else { return [] }
    return first.enumerated().map { index, line in line.merging(runs.dropFirst().map { $0[index] })
    }
  }

  private func progress(_ text: String, end: String) {
    FileHandle.standardError.write(Data((text + end).utf8))
  }
}
