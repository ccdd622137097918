import Foundation

/// `strata import` of as many cells in few wide lines, compared with many narrow ones.
struct ImportBenchmark: Benchmark {
  let strata: String
  let cells: Int

  let name = "import"

  private static let narrow = 50

  private var widths: [Int] { [500, cells / Self.narrow] }

  func run(_ plan: Plan) async throws -> [Line] {
    let folder = try Folder(in: plan.directory)
    let narrow = try write(Self.narrow, to: folder)
    var lines: [Line] = []
    for width in widths {
      let wide = try write(width, to: folder)
      let pairs = try await plan.fewRounds.alternate(
        ours: { try importing(wide, in: folder) },
        peer: { try importing(narrow, in: folder) }
      )
      lines.append(
        Line(
          id: "command.import.\(width)",
          section: .command,
          work: "import, \(grouped(cells)) cells as \(grouped(cells / width)) × \(grouped(width))",
          peer: "the same cells as \(grouped(cells / Self.narrow)) × \(Self.narrow)",
          comparison: .cost,
          pairs: pairs
        )
      )
    }
    return lines
  }

  /// Writes a file of CSV with all cells, and returns its path.
  private func write(_ width: Int, to folder: Folder) throws -> String {
    let file = folder.file("\(width).csv")
    let titles = ["id"] + (1..<width).map { "field \($0)" }
    var text = titles.joined(separator: ",") + "\n"
    for line in 0..<cells / width {
      text += (0..<width).map { "\(line * width + $0)" }.joined(separator: ",") + "\n"
    }
    try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    return file
  }

  /// The time in which a file is imported into a new store.
  private func importing(_ file: String, in folder: Folder) throws -> Double {
    let store = folder.file("imported.strata")
    for suffix in ["", ".head", ".lock"] { unlink(store + suffix) }
    return try CommandRun.measure([strata, "import", store, "cells", file, "--create"]).nanoseconds
  }
}
