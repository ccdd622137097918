import Foundation
import StrataArchiving
import StrataJournal
import StrataStorage

/// The output of `strata archive`.
package enum ArchiveText {
  /// What an archive has.
  struct Summary: Encodable {
    struct Snapshot: Encodable {
      let revision: Int64
      let time: Date
      let names: [String]
      let entities: Int
      let bytes: Int64
    }

    /// Revisions that are there as a snapshot only.
    struct Gap: Encodable {
      let first: Int64
      let last: Int64
    }

    let store: UUID
    let revision: Int64
    let chain: String
    /// When its last commit was made; nil if there is none.
    let lastCommit: Date?
    let epoch: Int64
    let leader: String
    /// For how long the lease runs.
    let leaseSeconds: Double
    /// When it ends or has ended, by the clock of the archive.
    let leaseEnd: Date?
    /// For how many seconds the clock of the archive is ahead of that of this machine; nil while no lease runs.
    let clockAhead: Double?
    let bytes: Int64
    /// The first revision that can be restored; nil if there is no snapshot yet.
    let restorableFrom: Int64?
    /// The first revision of the oldest segment.
    let firstDelta: Int64?
    let gaps: [Gap]
    let snapshots: [Snapshot]
    /// Nil unless a file was given.
    let file: File?

    init(
      _ head: ArchiveHead,
      readAt time: Date,
      file: File? = nil,
      bytes: Int64,
      oldest: ArchiveSegment?,
      newest: ArchiveSegment?,
      gaps: [ClosedRange<Revision>],
      snapshots: [ArchiveSnapshot]
    ) {
      store = head.store
      revision = head.mark.revision.number
      chain = head.mark.chain
      lastCommit = newest?.times.upperBound ?? snapshots.last?.time
      epoch = head.epoch
      leader = head.leader
      leaseSeconds = head.lease / .seconds(1)
      leaseEnd = head.leaseEnd
      clockAhead = head.clockDifference(at: time).map { $0 / .seconds(1) }
      self.file = file
      self.bytes = bytes
      restorableFrom = snapshots.first?.mark.revision.number
      firstDelta = oldest?.start.revision.next.number
      self.gaps = gaps.map { Gap(first: $0.lowerBound.number, last: $0.upperBound.number) }
      self.snapshots = snapshots.map { snapshot in
        Snapshot(
          revision: snapshot.mark.revision.number,
          time: snapshot.time,
          names: snapshot.names,
          entities: snapshot.entities,
          bytes: snapshot.bytes
        )
      }
    }
  }

  /// A file that is compared with an archive.
  struct File: Encodable {
    /// How the two relate: `same`, `ahead`, `behind`, `different`, `later`, `former` or `taken back`.
    ///
    /// A file is in a later lineage than the archive, or in a former one.
    enum Relation: String, Encodable {
      case same, ahead, behind, different, later, former
      case takenBack = "taken back"
    }

    let path: String
    let revision: Int64
    /// How many revisions the archive has more; less than 0 if the file has more.
    let revisionsBehind: Int64
    let relation: Relation
    /// The last revision up to which both have the same commits; nil if it is not known.
    let common: Int64?
    let missingErasures: Int

    init(_ path: String, _ finding: ArchiveRelation.Finding, _ head: ArchiveHead) {
      self.path = path
      revision = finding.revision.number
      revisionsBehind = head.mark.revision.number - finding.revision.number
      missingErasures = finding.missingErasures
      var common: Revision?
      switch finding.relation {
      case .atOrAhead: relation = finding.revision > head.mark.revision ? .ahead : .same
      case .behind, .replaced(nil): relation = .behind
      case .diverged(let after):
        relation = .different
        common = after
      case .restarts: relation = .later
      case .replaced(let through):
        relation = .former
        common = through
      case .takenBack(let through):
        relation = .takenBack
        common = through
      }
      self.common = common?.number
    }

    /// Sentences for a person.
    var lines: [String] {
      let distance = Measures.count(Int(revisionsBehind.magnitude), "revision", "revisions")
      let detail =
        switch relation {
        case .same: "as the archive"
        case .ahead: "\(distance) ahead of the archive"
        case .behind: "\(distance) behind the archive"
        case .different:
          common.map { "the same commits as the archive only through \($0)" }
            ?? "other commits than the archive"
        case .later:
          "in a later lineage than the archive: open it with the archive, or push it, and its history takes the place"
        case .former:
          "in a former lineage of the archive: open it with the archive, whose history takes its place"
        case .takenBack: "taken back, and the archive goes on or has other commits"
        }
      let line = "file      \(path.printable) at revision \(revision): \(detail)"
      if missingErasures == 0 { return [line] }
      let entities = Measures.count(missingErasures, "entity", "entities")
      return [line, "erased    \(entities) erased from the file may be in the archive"]
    }
  }

  /// What an archive has, for a person.
  static func lines(
    _ summary: Summary,
    _ highlighting: Highlighting,
    within columns: Int
  ) -> [String] {
    let until = summary.leaseEnd.map { " until \(Measures.time($0))" } ?? ""
    let lease =
      summary.leaseSeconds > 0
      ? "leads for another \(seconds(.seconds(summary.leaseSeconds)))"
      : "led last\(until); another process may lead"
    var lines = [
      "store     \(summary.store.uuidString.lowercased())",
      "revision  \(summary.revision), chain \(summary.chain)",
      "commit    \(summary.lastCommit.map { "the last one is of \(Measures.time($0))" } ?? "none")",
      "leader    \(summary.leader.printable) \(lease) (epoch \(summary.epoch))",
      "size      \(Measures.size(summary.bytes))",
    ]
    lines += summary.clockAhead.flatMap(clock(ahead:)).map { [$0] } ?? []
    lines += summary.file?.lines ?? []
    if let first = summary.firstDelta {
      lines.append("deltas    revisions \(first) to \(summary.revision)")
    }
    for gap in summary.gaps {
      lines.append(
        "gap       revisions \(gap.first) to \(gap.last): only the snapshot at \(gap.last)"
      )
    }
    guard !summary.snapshots.isEmpty else {
      return lines + ["There is no snapshot yet, so nothing can be restored."]
    }
    let rows = summary.snapshots.map { snapshot in
      [
        "\(snapshot.revision)", Measures.time(snapshot.time), "\(snapshot.entities)",
        Measures.size(snapshot.bytes), snapshot.names.joined(separator: ", "),
      ]
    }
    let table = TextTable(
      [
        .init("snapshot", .right, .whole), .init("time", .left, .whole),
        .init("entities", .right, .whole), .init("size", .right, .whole), .init("names"),
      ],
      rows,
      within: columns
    )
    return lines + ["", table.header(highlighting)] + rows.map { table.line($0) }
  }

  /// A store of an archive.
  struct Store: Encodable {
    /// Its name in a database.
    let name: String?
    let store: UUID
    let revision: Int64
    let epoch: Int64
    let leader: String
    let leaseSeconds: Double
    let leaseEnd: Date?
    let bytes: Int64

    init(name: String?, _ head: ArchiveHead, bytes: Int64) {
      self.name = name
      store = head.store
      revision = head.mark.revision.number
      epoch = head.epoch
      leader = head.leader
      leaseSeconds = head.lease / .seconds(1)
      leaseEnd = head.leaseEnd
      self.bytes = bytes
    }
  }

  /// The stores of an archive, for a person.
  static func table(_ stores: [Store], within columns: Int) -> TextTable<[[String]]> {
    TextTable(
      [
        .init("name"), .init("store", .left, .whole), .init("revision", .right, .whole),
        .init("size", .right, .whole), .init("leader"), .init("lease", .left, .whole),
      ],
      stores.map { store in
        [
          store.name ?? "", store.store.uuidString.lowercased(), "\(store.revision)",
          Measures.size(store.bytes), store.leader,
          store.leaseSeconds > 0
            ? "another \(seconds(.seconds(store.leaseSeconds)))"
            : store.leaseEnd.map { "until \(Measures.time($0))" } ?? "ended",
        ]
      },
      within: columns
    )
  }

  /// The line on a clock of the archive that is ahead by some seconds, or behind if they are less than 0.
  ///
  /// Nil for less than five seconds: a call takes time too.
  package static func clock(ahead: Double) -> String? {
    if abs(ahead) < 5 { return nil }
    let side = ahead > 0 ? "ahead of" : "behind"
    return "clock     of the archive, \(seconds(.seconds(abs(ahead)))) \(side) this machine's"
  }

  /// A duration in whole seconds.
  static func seconds(_ duration: Duration) -> String {
    "\(Int((duration / .seconds(1)).rounded(.up))) s"
  }

  /// How far an archive is at a time, and how fast it goes on: a line of `strata archive status --watch`.
  struct Look: Encodable {
    let time: Date
    let revision: Int64
    let bytes: Int64
    let epoch: Int64
    let leader: String
    let leaseSeconds: Double
    /// Nil at the first look.
    let revisionsPerSecond: Double?
    let bytesPerSecond: Double?

    init(_ head: ArchiveHead, bytes: Int64, at time: Date, after before: Look?) {
      self.time = time
      revision = head.mark.revision.number
      self.bytes = bytes
      epoch = head.epoch
      leader = head.leader
      leaseSeconds = head.lease / .seconds(1)
      let seconds = before.map { time.timeIntervalSince($0.time) } ?? 0
      let (earlierRevision, earlierBytes) = (before?.revision ?? 0, before?.bytes ?? 0)
      revisionsPerSecond = seconds > 0 ? Double(revision - earlierRevision) / seconds : nil
      bytesPerSecond = seconds > 0 ? Double(bytes - earlierBytes) / seconds : nil
    }
  }

  /// A look at an archive, for a person.
  static func line(_ look: Look) -> String {
    var rates = ""
    if let revisions = look.revisionsPerSecond, let bytes = look.bytesPerSecond {
      // Less than nothing after an older archive was restored, or history was removed.
      let sign = bytes < 0 ? "-" : ""
      let size = Measures.size(Int64(bytes.magnitude))
      rates = String(format: "  %.1f revisions/s, ", revisions) + "\(sign)\(size)/s"
    }
    let lease =
      look.leaseSeconds > 0 ? "for another \(seconds(.seconds(look.leaseSeconds)))" : "ended"
    return
      """
      \(Measures.time(look.time))  revision \(look.revision)  \(Measures.size(look.bytes))\(rates)  lease of \
      \(look.leader.printable) \(lease) (epoch \(look.epoch))
      """
  }

  /// What was sent.
  static func lines(_ report: ArchivePush.Report) -> [String] {
    let first = report.before.map(\.next) ?? 1
    var sent: [String] = []
    if report.before == nil { sent.append("the store \(report.store.uuidString.lowercased())") }
    if first == report.revision { sent.append("revision \(first)") }
    if first < report.revision { sent.append("the revisions \(first) to \(report.revision)") }
    if report.snapshots > 0 {
      sent.append(Measures.count(report.snapshots, "snapshot", "snapshots"))
    }
    let what = sent.isEmpty ? "There was nothing to send" : "Sent \(sent.joined(separator: ", "))"
    let restart =
      report.replaced.map {
        "Sent the store again. The history that the archive had is in \($0.directory.printable)."
      }
      ?? "Sent the store again: what was erased from it, and all history before, left the archive."
    let lines = [
      report.hasRestarted ? restart : "\(what).",
      "\(report.archive.printable) is at revision \(report.revision), in epoch \(report.epoch).",
    ]
    return lines
      + report.gaps.map {
        """
        The revisions \($0.lowerBound) to \($0.upperBound) are there as a snapshot only: the store no \
        longer has their deltas.
        """
      }
  }

  /// What was removed, or would be.
  static func line(_ removal: ArchiveRetention.Removal, isPlan: Bool) -> String {
    if removal == ArchiveRetention.Removal() { return "Everything is needed." }
    let snapshots = Measures.count(removal.snapshots.count, "snapshot", "snapshots")
    let verb = isPlan ? "would be removed" : "removed"
    return
      "\(snapshots), and the deltas through revision \(removal.segmentsThrough): \(verb)."
  }
}
