import Foundation

/// The ratios that lines must not fall behind, by the ids of the lines.
///
/// A folder holds them, a JSON file for each group of lines. The group is the first word of an id: the threshold of
/// `memory.lookup` is in `memory.json`.
struct Thresholds: Equatable {
  /// The least ratio of a line that shows an advantage.
  var atLeast: [String: Double] = [:]
  /// The largest ratio of a line that shows a cost.
  var atMost: [String: Double] = [:]

  /// The lines of a run.
  enum Scope {
    /// Those of all benchmarks.
    case all
    /// Those of the benchmarks that `--only` chose.
    case some
  }

  struct Failure: Error, CustomStringConvertible {
    var description: String
  }
}

extension Thresholds {
  var ids: Set<String> { Set(atLeast.keys).union(atMost.keys) }

  /// The threshold of a line; nil if there is none in the direction of the line.
  subscript(line: Line) -> Double? {
    switch line.comparison {
    case .advantage: atLeast[line.id]
    case .cost: atMost[line.id]
    }
  }

  /// Sets the thresholds of the lines that have a ratio: a tenth behind the worst median of the processes, which
  /// counts as 5 % behind the ratio at least.
  ///
  /// Thresholds of other lines stay, such as those that need a server; a run of all benchmarks removes those whose
  /// line is gone.
  mutating func record(_ lines: [Line], of scope: Scope) {
    if scope == .all {
      let found = Set(lines.filter { $0.peer != Line.itself }.map(\.id))
      atLeast = atLeast.filter { found.contains($0.key) }
      atMost = atMost.filter { found.contains($0.key) }
    }
    for line in lines where line.hasRatio {
      (atLeast[line.id], atMost[line.id]) = (nil, nil)
      switch line.comparison {
      case .advantage:
        atLeast[line.id] = rounded(min(line.spread.lowerBound, line.ratio * 0.95) * 0.9)
      case .cost:
        atMost[line.id] = rounded(max(line.spread.upperBound, line.ratio * 1.05) * 1.1)
      }
    }
  }

  /// Three significant digits, so that a file is easy to read.
  private func rounded(_ ratio: Double) -> Double {
    Double(String(format: "%.3g", ratio)) ?? ratio
  }
}

/// A file leaves out a direction without a threshold.
extension Thresholds: Codable {
  private enum CodingKeys: CodingKey {
    case atLeast
    case atMost
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    atLeast = try container.decodeIfPresent([String: Double].self, forKey: .atLeast) ?? [:]
    atMost = try container.decodeIfPresent([String: Double].self, forKey: .atMost) ?? [:]
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    if !atLeast.isEmpty { try container.encode(atLeast, forKey: .atLeast) }
    if !atMost.isEmpty { try container.encode(atMost, forKey: .atMost) }
  }
}

extension Thresholds {
  /// Reads the files of a folder; there are no thresholds if the folder is missing.
  init(folder: String) throws {
    self.init()
    for file in try Self.files(of: folder) {
      let group: Thresholds
      do {
        group = try JSONDecoder().decode(Thresholds.self, from: Data(contentsOf: file))
      } catch {
        throw Failure(description: "The thresholds in \(file.path) cannot be read: \(error)")
      }
      let name = file.deletingPathExtension().lastPathComponent
      if let stray = group.ids.filter({ Self.group(of: $0) != name }).min() {
        throw Failure(
          description: """
            The threshold of \(stray) is in \(file.lastPathComponent). Move it to \(Self.group(of: stray)).json.
            """
        )
      }
      atLeast.merge(group.atLeast) { $1 }
      atMost.merge(group.atMost) { $1 }
    }
  }

  /// Writes a file for each group, and removes the files of groups without a threshold.
  func write(to folder: String) throws {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let groups = Set(ids.map(Self.group))
    for file in try Self.files(of: folder)
    where !groups.contains(file.deletingPathExtension().lastPathComponent) {
      try FileManager.default.removeItem(at: file)
    }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    for group in groups {
      let part = Thresholds(
        atLeast: atLeast.filter { Self.group(of: $0.key) == group },
        atMost: atMost.filter { Self.group(of: $0.key) == group }
      )
      let file = URL(fileURLWithPath: folder).appendingPathComponent(group + ".json")
      try (encoder.encode(part) + Data("\n".utf8)).write(to: file)
    }
  }

  private static func group(of id: String) -> String { String(id.prefix { $0 != "." }) }

  private static func files(of folder: String) throws -> [URL] {
    guard FileManager.default.fileExists(atPath: folder) else { return [] }
    return try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
      .filter { $0.hasSuffix(".json") }
      .map { URL(fileURLWithPath: folder).appendingPathComponent($0) }
  }
}
