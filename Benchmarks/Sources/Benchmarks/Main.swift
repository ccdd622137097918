import ArgumentParser
import Foundation

/// Runs the benchmarks, each in processes of its own, and prints one table.
@main
struct Benchmarks: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "benchmarks",
    abstract: "Measures Strata beside its peers, as ratios in one run."
  )

  @Flag(help: "Small and few: proves that everything runs, and says nothing about speed.")
  var quick = false

  @Option(help: "Only the benchmarks whose name contains this.")
  var only: String?

  @Option(help: "How many processes measure each benchmark.")
  var processes: Int?

  @Option(help: "On which disk to measure: a folder that files may be put into.")
  var directory = FileManager.default.temporaryDirectory.path

  @Option(help: "A file to write the lines to, as JSON.")
  var json: String?

  @Option(help: "A file to write the tables to, as Markdown.")
  var markdown: String?

  @Option(help: .hidden)
  var child: String?

  func validate() throws {
    if let processes, processes < 1 { throw ValidationError("--processes must be at least 1.") }
  }

  func run() async throws {
    let plan = Plan(isQuick: quick, directory: directory)
    let benchmarks = Catalogue.all(quick: quick)
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
      throw ValidationError("No benchmark's name contains \(only ?? ""). They are: \(names).")
    }
    var lines: [Line] = []
    for (index, benchmark) in chosen.enumerated() {
      progress("\(index + 1) of \(chosen.count): \(benchmark.name)", end: "")
      let start = ContinuousClock.now
      lines += try measure(benchmark.name)
      progress(", \((ContinuousClock.now - start).components.seconds) s", end: "\n")
    }
    if quick { for index in lines.indices { lines[index].goal = nil } }
    let report = Report(environment: .current(), lines: lines)
    print(report.environment.sentence, report.text(), separator: "\n\n")
    if quick { print("The quick form only proves that everything runs: its figures mean nothing.") }
    if let json { try report.json().write(to: URL(fileURLWithPath: json)) }
    if let markdown { try Data(report.markdown().utf8).write(to: URL(fileURLWithPath: markdown)) }
  }

  private func measure(_ name: String) throws -> [Line] {
    let runs = try (0..<(processes ?? (quick ? 1 : 3))).map { _ in
      try ChildRun.lines(of: name, quick: quick, directory: directory)
    }
    guard let first = runs.first else { return [] }
    return first.enumerated().map { index, line in line.merging(runs.dropFirst().map { $0[index] })
    }
  }

  private func progress(_ text: String, end: String) {
    FileHandle.standardError.write(Data((text + end).utf8))
  }
}
