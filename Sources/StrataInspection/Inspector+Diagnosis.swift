import Foundation
import StrataBase
package import StrataJournal
import StrataSQLite

/// Findings about the file of a store and its surroundings, with what to do.
package struct Diagnosis: Codable, Sendable, Equatable {
  package struct Finding: Codable, Sendable, Equatable {
    package enum Level: String, Codable, Sendable {
      case ok, note, problem
    }

    package var subject: String
    package var level: Level
    package var detail: String
    /// What to do; nil if nothing has to be done.
    package var remedy: String?
  }

  package var path: String
  package var findings: [Finding] = []

  package var hasProblems: Bool { findings.contains { $0.level == .problem } }

  fileprivate mutating func add(
    _ subject: String,
    _ level: Finding.Level,
    _ detail: String,
    remedy: String? = nil
  ) {
    findings.append(Finding(subject: subject, level: level, detail: detail, remedy: remedy))
  }
}

extension Inspector {
  /// Looks at the file from outside: SQLite, the lock, the WAL, the head, snapshots, disk and leftovers.
  ///
  /// O(deltas); no entity is read. `verify()` checks the contents.
  package func diagnose() throws(PersistenceError) -> Diagnosis {
    let summary = try info()
    var diagnosis = Diagnosis(path: path.file)
    diagnoseSQLite(&diagnosis)
    diagnosis.add("format", .ok, "\(summary.format)")
    diagnoseWriter(summary, &diagnosis)
    try diagnoseHead(&diagnosis)
    diagnoseHistory(summary, &diagnosis)
    diagnoseDisk(summary, &diagnosis)
    do {
      try diagnoseDirectory(&diagnosis)
    } catch {
      throw PersistenceError(.inspecting, path: path.file, wrapping: error)
    }
    return diagnosis
  }

  private func diagnoseSQLite(_ diagnosis: inout Diagnosis) {
    let version = Connection.libraryVersion
    let numbers = version.split(separator: ".").compactMap { Int($0) }
    // sqlite.org/wal.html, "The WAL-Reset Bug": fixed in 3.51.3.
    if numbers.lexicographicallyPrecedes([3, 51, 3]) {
      diagnosis.add(
        "SQLite",
        .note,
        "version \(version) can lose commits when two connections checkpoint at once",
        remedy: """
          Strata's one writer does every checkpoint, so a store is safe as long as no other program \
          writes to its file.
          """
      )
    } else {
      diagnosis.add("SQLite", .ok, "version \(version)")
    }
  }

  private func diagnoseWriter(_ summary: StoreSummary, _ diagnosis: inout Diagnosis) {
    if let writer = summary.writer {
      diagnosis.add("writer", .ok, "open for writing by \(writer)")
    } else {
      diagnosis.add("writer", .ok, "none")
    }
    let size = Measures.size(summary.walBytes)
    if summary.writer == nil, summary.walBytes > 0 {
      diagnosis.add(
        "WAL",
        .note,
        "\(size) that the last writer did not check in, as it did not close the store",
        remedy: "The next opening recovers it. Do not copy or move the file without its -wal."
      )
    } else if summary.walBytes > 256 << 20 {
      diagnosis.add(
        "WAL",
        .note,
        "\(size)",
        remedy: "A reader may keep the writer from emptying it: end long reads of other programs."
      )
    } else {
      diagnosis.add("WAL", .ok, summary.walBytes == 0 ? "empty" : size)
    }
  }

  private func diagnoseHead(_ diagnosis: inout Diagnosis) throws(PersistenceError) {
    do {
      let (detail, isNote) = try query { try verifyHead($0) }
      diagnosis.add("head", isNote ? .note : .ok, detail)
    } catch {
      switch error.reason {
      case .endMissing:
        diagnosis.add(
          "head",
          .problem,
          error.reason.sentence,
          remedy: error.reason.remedy(at: error.path)
        )
      case .damaged(let detail):
        diagnosis.add(
          "head",
          .problem,
          detail,
          remedy: "Run `strata verify`, and restore a backup if commits are missing."
        )
      default: throw error
      }
    }
  }

  private func diagnoseHistory(_ summary: StoreSummary, _ diagnosis: inout Diagnosis) {
    let verified = summary.snapshots.count { $0.verified }
    let snapshots = Measures.count(summary.snapshots.count, "snapshot", "snapshots")
    if verified < summary.snapshots.count {
      diagnosis.add(
        "snapshots",
        .note,
        "\(snapshots), of which \(summary.snapshots.count - verified) not verified yet",
        remedy: "The writer verifies them; after a crash, the next opening removes them."
      )
    } else {
      diagnosis.add("snapshots", .ok, snapshots)
    }
    diagnosis.add(
      "history",
      .ok,
      "revisions \(summary.journal.readable) to \(summary.revision) can be read"
    )
    if let held = summary.heldTimes {
      diagnosis.add("times", .note, "\(held)", remedy: HeldTimes.remedy)
    }
  }

  private func diagnoseDisk(_ summary: StoreSummary, _ diagnosis: inout Diagnosis) {
    guard let free = freeBytes(in: path.directory) else { return }
    let needed = summary.fileBytes + summary.walBytes
    if free < needed {
      diagnosis.add(
        "disk",
        .problem,
        "\(Measures.size(free)) free, and the store has \(Measures.size(needed))",
        remedy: "Free some space: a snapshot or a backup may need as much as the store has."
      )
    } else {
      diagnosis.add("disk", .ok, "\(Measures.size(free)) free")
    }
  }

  /// Notes files beside the store that its program may not be able to open.
  private func diagnoseOwners(_ diagnosis: inout Diagnosis) {
    guard let owner = FileOwner(ofFileAt: path.file) else { return }
    for file in [path.wal, path.shm, path.head, path.lock] {
      guard let own = FileOwner(ofFileAt: file), "\(own)" != "\(owner)" else { continue }
      diagnosis.add(
        "owner",
        .note,
        "\(PathParts(file).name) belongs to \(own), and the store to \(owner)",
        remedy: "chown \(owner) \(file)"
      )
    }
    let process = (user: geteuid(), group: getegid())
    if process.user != 0, process.user != owner.user {
      diagnosis.add(
        "owner",
        .note,
        """
        the store belongs to \(owner), and this is \(process.user):\(process.group): what it makes beside the store \
        stays its own
        """,
        remedy: "Run what changes the store as the user that the store belongs to, or as root."
      )
    }
  }

  private func diagnoseDirectory(_ diagnosis: inout Diagnosis) throws {
    var status = stat()
    if lstat(path.file, &status) == 0, status.st_mode & 0o077 != 0 {
      let mode = String(status.st_mode & 0o777, radix: 8)
      diagnosis.add(
        "access",
        .note,
        "other users may use the file: its mode is \(mode)",
        remedy: "If they should not: chmod 600."
      )
    } else {
      diagnosis.add("access", .ok, "its owner only")
    }
    diagnoseOwners(&diagnosis)
    let names = try path.namesInDirectory().sorted()
    for directory in names {
      switch path.quarantineCause(ofDirectory: directory) {
      case .damaged:
        diagnosis.add(
          "quarantine",
          .note,
          "damaged files are in \(directory)",
          remedy: "See what was lost there, bring it back, or remove the directory."
        )
      case .setAside:
        diagnosis.add(
          "quarantine",
          .note,
          "files whose commits the archive does not have are in \(directory)",
          remedy:
            "Compare them with the store, commit again what is needed, or remove the directory."
        )
      case nil: continue
      }
    }
    for unfinished in names
    where unfinished.hasPrefix(path.name + ".creating-") && !unfinished.hasSuffix(".mark") {
      diagnosis.add(
        "leftover",
        .note,
        "\(unfinished) is a copy that was not finished, or is being made",
        remedy: "The next backup into this directory removes it if no process makes it."
      )
    }
  }
}
