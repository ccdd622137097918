import ArgumentParser
import Foundation
import StrataArchiving
import StrataBase
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataStorage

/// `strata erase STORE TABLE ID…`.
struct Erase: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "erase",
    abstract: "Removes every trace of entities from a store, its history included.",
    discussion: """
      Records and IDs leave the deltas, the snapshots and the free pages, and with them the contexts of the \
      commits that changed these entities. All else stays as it is, in a new lineage: hashes are computed \
      again, and `strata info` says so. An entity is erased under all IDs and names of its table that it has had. \
      `strata history` says that the entities were erased, and nothing \
      more. Names and places of commits, scripts of migrations, and what other entities say stay.

      This cannot be taken back, so it asks first, unless --yes is given. Copies and archives beside the store that \
      still hold one of the entities are named on standard error; they are not changed. `strata push` removes them from \
      an archive. The store must not be \
      open: a program calls `persistence.erase`.

      Examples:
        strata erase app.strata users ada
        strata erase app.strata users ada bob --yes --json
      """
  )

  @OptionGroup var arguments: StoreArguments

  @Argument(
    help: "The name of the table, as `strata tables` prints it.",
    completion: StoreCompletion.table
  )
  var table: String

  @Argument(help: "The IDs of the entities.", completion: StoreCompletion.id)
  var ids: [String]

  @Flag(help: "Leave references to them, which lead nowhere then.")
  var leaveReferences = false

  @Flag(help: "Do not ask.")
  var yes = false

  func validate() throws {
    if StoredValues.name(ofTable: table) != nil {
      throw ValidationError(
        "\(table) is a persisted value: a program stores another one in its place."
      )
    }
  }

  func run() async throws {
    if !yes {
      let entities = Measures.count(ids.count, "entity", "entities")
      try Output.confirm(
        """
        Erase \(entities) of \(table.printable) from \(arguments.store.printable), with all history? This \
        cannot be taken back.
        """,
        otherwise: "Nothing was erased."
      )
    }
    let report = try StoreErasure.run(
      at: arguments.store,
      ErasedEntities(ids.map { .init(table: table, meantBy: $0) }),
      leaveReferences ? .leave : .refuse
    )
    let archives = await archives(of: report.position.storeID)
    try Output.print { output throws(OutputError) in
      switch arguments.form {
      case .json: try output.line(SummaryJSON.indented(ErasureText.Report(report, archives)))
      case .text: for line in ErasureText.lines(report) { try output.line(line) }
      }
    }
    for line in ErasureText.warnings(report, of: arguments.store, archives) {
      Output.printError(line)
    }
  }

  /// The folders beside the store that are archives of it; O(files there).
  private func archives(of store: UUID) async -> [String] {
    let folder = PathParts(arguments.store).directory
    let names: [String]
    do {
      names = try FileManager.default.contentsOfDirectory(atPath: folder)
    } catch {
      // The erasure has happened, and the archive is named without its place.
      return []
    }
    var archives: [String] = []
    for name in names.sorted() {
      let path = PathParts.path(of: name, in: folder)
      do throws(ArchiveError) {
        if try await FolderArchive(path).head()?.store == store { archives.append(path) }
      } catch {
        // It is no archive, or none that can be read.
        continue
      }
    }
    return archives
  }
}

/// The output of `strata erase`.
enum ErasureText {
  /// A report as JSON.
  struct Report: Encodable {
    struct Copy: Encodable {
      let path: String
      /// Why it cannot be read; nil if it holds an entity.
      let unreadable: String?
    }

    let revision: Int64
    let lineage: Lineage.ID
    let entities: [String: Int]
    let changes: Int
    let firstRewritten: Int64?
    let lastRewritten: Int64?
    let copies: [Copy]
    /// Named snapshots that may hold the entities under other IDs or names of tables.
    let unfollowedSnapshots: [Int64]
    /// Whether the store was sent to an archive, which holds the entities until the store is sent again.
    let archived: Bool
    /// The folders beside the store that are archives of it.
    let archives: [String]

    init(_ report: ErasureReport, _ archives: [String]) {
      self.archives = archives
      archived = report.isArchived
      unfollowedSnapshots = report.unfollowedSnapshots.map(\.number)
      revision = report.position.revision.number
      lineage = report.position.lineageID
      entities = report.entities
      changes = report.changes
      firstRewritten = report.rewritten?.lowerBound.number
      lastRewritten = report.rewritten?.upperBound.number
      copies = report.copies.map { copy in
        switch copy.finding {
        case .holdsEntities: Copy(path: copy.path, unreadable: nil)
        case .unreadable(let detail): Copy(path: copy.path, unreadable: detail)
        }
      }
    }
  }

  /// What was erased, and what was computed again.
  static func lines(_ report: ErasureReport) -> [String] {
    let entities = report.entities.sorted { $0.key < $1.key }.map { table, count in
      "\(Measures.count(count, "entity", "entities")) of \(table.printable)"
    }
    let changes = Measures.count(report.changes, "change", "changes")
    var lines = ["Erased \(entities.joined(separator: ", ")), with \(changes) in the journal."]
    let position = "revision \(report.position.revision), in a new lineage"
    if let rewritten = report.rewritten {
      let range =
        rewritten.lowerBound == rewritten.upperBound
        ? "revision \(rewritten.lowerBound)"
        : "revisions \(rewritten.lowerBound) to \(rewritten.upperBound)"
      lines.append("The hashes of \(range) were computed again. The store is at \(position).")
    } else {
      lines.append("No delta had to be written again. The store is at \(position).")
    }
    return lines
  }

  /// A line for each copy that was not changed, and for each archive.
  static func warnings(
    _ report: ErasureReport,
    of store: String,
    _ archives: [String]
  ) -> [String] {
    let places = archives.isEmpty && report.isArchived ? ["ARCHIVE"] : archives
    let pushes = places.map { place in
      let name = archives.isEmpty ? "The archive of the store" : place.printable
      return """
        \(name) holds what was erased until the store is sent again: strata push \
        \(store.printable) --to \(place.printable)
        """
    }
    return pushes
      + report.copies.map { copy in
        switch copy.finding {
        case .holdsEntities: "\(copy.path.printable) still holds what was erased."
        case .unreadable(let detail):
          "\(copy.path.printable) may still hold what was erased: \(detail.printable)."
        }
      }
      + report.unfollowedSnapshots.map { revision in
        """
        The snapshot at revision \(revision) is from before a migration whose delta was trimmed, and may hold what was erased \
        under another ID or name: strata snapshot prune \(store.printable)
        """
      }
  }
}
