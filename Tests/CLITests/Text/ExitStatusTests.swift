import Foundation
import StrataArchiving
import StrataCLI
import StrataJournal
import StrataMaintaining
import StrataMigrating
import TestSupport
import Testing

@Suite struct ExitStatusTests {
  /// Those of the products that have another error than the core.
  private static let ofProducts: [(any FeatureError, Int32)] = [
    (MaintenanceError.stillPresent(table: "users", id: "1"), 1),
    (MaintenanceError.stillReferenced(table: "users", id: "1", by: "2 of notes", count: 1), 1),
    (MaintenanceError.notUndone(refused: [], conflicts: ["revision 5 has changed it"]), 1),
    (MaintenanceError.notRedactable(field: "users.id", detail: ""), 1),
    (ArchiveError(.empty, archive: "a"), 3),
    (ArchiveError(.gap(2...3), archive: "a"), 3),
    (ArchiveError(.otherStore(UUID()), archive: "a"), 1),
    (ArchiveError(.unusable("?"), archive: "a"), 1),
    (ArchiveError(.refused, archive: "a"), 5),
    (ArchiveError(.notLeading(by: "b", because: "?"), archive: "a"), 5),
    (ArchiveError(.away("timeout"), archive: "a"), 5),
    (ArchiveError(.damaged("?"), archive: "a"), 4),
    (ArchiveError(.olderFormat(found: 2, known: 3), archive: "a"), 6),
    (ArchiveError(.newerFormat(found: 4, known: 3), archive: "a"), 7),
    (OlderBuild(known: 1, last: 2, lacks: ["0002_b"]), 7),
    (DataMigrationError.pending(["0001_a"]), 2),
    (DataMigrationError.refused([:]), 2),
    (DataMigrationError.drifted(number: 1, name: "a", appliedAs: "a"), 6),
    (DataMigrationError.unknownNumber(9), 3),
    (DataMigrationError.tooOld(needs: 2, found: 1, squashed: "0003_c"), 6),
    (DataMigrationError.notEnoughSpace(needed: 2, free: 1), 74),
    (DataMigrationError.notReversible("0001_a"), 1),
  ]

  @Test func `every reason has its exit code`() {
    let ofProducts = Self.ofProducts.map {
      (reason: PersistenceError.Reason.feature($0.0), exit: $0.1)
    }
    for (reason, exit) in PersistenceError.Reason.all + ofProducts {
      let error = PersistenceError(.opening, path: "app.strata", reason)
      #expect(ExitStatus(error).rawValue == exit, "\(reason)")
    }
  }

  /// The list of reasons is written by hand; a case that it lacks would be in no other test of this suite.
  @Test func `the list has every reason that the source declares`() throws {
    let source = try Self.text(of: "Sources/StrataJournal/Errors/PersistenceError+Reason.swift")
    let body = source.prefix(
      upTo: try #require(source.range(of: "package var sentence")).lowerBound
    )
    let declared = Set(body.matches(of: /(?m)^    case (\w+)/).map { String($0.1) })
    #expect(declared.count > 40)
    let listed = PersistenceError.Reason.all.map { reason, _ in
      Mirror(reflecting: reason).children.first?.label ?? "\(reason)"
    }
    #expect(declared.subtracting(listed) == ["feature"])
  }

  private static func text(of file: String) throws -> String {
    let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
    return try String(contentsOf: root.appending(path: file), encoding: .utf8)
  }

  @Test func `each message is on the page of errors, with its kind and exit code`() throws {
    let page = try Self.text(of: "Sources/Strata/Strata.docc/Errors.md")
    let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") }
      .map { $0.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) } }
    let kinds = rows.filter { $0[0].hasPrefix("`.") }
    let messages = rows.filter { !$0[0].hasPrefix("`") && $0[1].hasPrefix("`.") }
    var unused = Set(messages.map { $0[0] })
    #expect(unused.count > 40)
    let others = Self.ofProducts.filter { $0.0 is MaintenanceError || $0.0 is OlderBuild }
      .map { (reason: PersistenceError.Reason.feature($0.0), exit: $0.1) }
    for (reason, exit) in PersistenceError.Reason.all + others {
      let kind = "`.\(reason.kind)`"
      #expect(
        kinds.contains {
          $0[0] == kind && ($0[1].hasSuffix("(\(exit))") || $0[1].hasSuffix("code \(exit))"))
        },
        "\(kind) \(exit)"
      )
      let found = messages.filter { row in
        row[1].prefix { $0 != ":" }.contains(kind) && Self.fits(row[0], reason.sentence)
      }
      #expect(!found.isEmpty, "\(kind): \(reason.sentence)")
      unused.subtract(found.map { $0[0] })
    }
    #expect(unused.isEmpty)
  }

  /// Whether a sentence has the parts of a pattern between its `…`, in their order.
  private static func fits(_ pattern: String, _ sentence: String) -> Bool {
    var rest = Substring(sentence)
    return pattern.split(separator: "…").allSatisfy { part in
      guard let range = rest.firstRange(of: part) else { return false }
      rest = rest[range.upperBound...]
      return true
    }
  }

  @Test func `the codes are those that are promised`() {
    #expect(ExitStatus.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 7, 64, 74, 130, 143])
  }
}
