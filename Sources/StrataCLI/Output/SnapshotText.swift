import ArgumentParser
import Foundation
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataStorage

/// The output of `strata snapshot`.
enum SnapshotText {
  /// A row for each snapshot.
  static func rows(_ snapshots: [SnapshotSummary]) -> RowText {
    RowText(
      [
        .init("revision", .numbers), .init("names"), .init("time", .whole),
        .init("entities", .numbers), .init("values", .numbers), .init("chunks", .numbers),
        .init("bytes", .numbers), .init("verified", .texts, .data),
      ],
      snapshots.map { snapshot in
        [
          .number(snapshot.revision),
          .json(SummaryJSON.compact(snapshot.names), text: snapshot.names.joined(separator: ", ")),
          .time(snapshot.time), .number(Int64(snapshot.entities - snapshot.values)),
          .number(Int64(snapshot.values)), .number(Int64(snapshot.chunks)),
          .number(Int64(snapshot.bytes)),
          .json("\(snapshot.verified)", text: "\(snapshot.verified)"),
        ]
      }
    )
  }

  /// A snapshot with the sizes of its tables, as JSON.
  struct Contents: Encodable {
    let snapshot: SnapshotSummary
    let tables: [TableSummary]

    init(_ snapshot: SnapshotSummary, _ tables: [TableSummary]) {
      self.snapshot = snapshot
      self.tables = tables
    }
  }

  /// A sentence, then a line for each table.
  static func lines(_ snapshot: SnapshotSummary, _ tables: [TableSummary]) -> [String] {
    let names = snapshot.names.map(\.printable).joined(separator: ", ")
    let title = "Snapshot of revision \(snapshot.revision)" + (names.isEmpty ? "" : ", \(names)")
    let state = snapshot.verified ? "verified" : "not verified yet"
    return [
      title,
      "\(Measures.time(snapshot.time)), \(Measures.size(snapshot.bytes)), \(state)",
      "",
    ] + tables.map(line)
  }

  private static func line(_ table: TableSummary) -> String {
    let title = "  \(StoredValues.title(ofTable: table.name).printable)"
    if table.kind == .value { return title }
    return "\(title), \(Measures.count(table.count, "entity", "entities"))"
  }

  /// What was removed, or would be, as JSON.
  struct Pruned: Encodable {
    let names: [SnapshotName]
    let snapshots: [Int64]
    let bytesBefore: Int64?
    let bytesAfter: Int64?

    init(_ removal: NamedSnapshots.Removal) {
      names = removal.names.map { SnapshotName(name: $0.name, revision: $0.revision.number) }
      snapshots = removal.snapshots.map(\.number)
      bytesBefore = removal.bytes?.before
      bytesAfter = removal.bytes?.after
    }
  }

  /// A line for each name, and one for the file.
  static func lines(_ removal: NamedSnapshots.Removal) -> [String] {
    let would = removal.bytes == nil ? "would be removed" : "was removed"
    var lines = removal.names.map { name, revision in
      let rest =
        removal.snapshots.contains(revision)
        ? "with its snapshot" : "its snapshot stays, with the history"
      return "\(name.printable) (revision \(revision)) \(would), \(rest)."
    }
    if lines.isEmpty { lines.append("No name was chosen.") }
    if let bytes = removal.bytes, !removal.names.isEmpty {
      lines.append(
        "The file had \(Measures.size(bytes.before)), and has \(Measures.size(bytes.after))."
      )
    }
    return lines
  }
}

/// The name of a snapshot, as `strata snapshot` prints it in JSON.
struct SnapshotName: Codable {
  var name: String
  var revision: Int64

  static func validate(_ name: String) throws {
    if name.isEmpty { throw ValidationError("The name is empty.") }
  }
}
