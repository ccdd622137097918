import Foundation
import StrataBase
package import StrataJournal
import StrataSQLite
import StrataStorage

extension ArchivePull {
  /// How often an archive is read again that was changed meanwhile.
  private static let attempts = 3

  /// Verifies everything that a pull may need: the catalog, every segment, and every snapshot with its chunks and the
  /// deltas up to the next one.
  ///
  /// It reads as much as a pull of each snapshot, and needs room for one in the directory of temporary files. A leader
  /// may be at work; if something is removed meanwhile, all is read again.
  ///
  /// Throws `.archive` with `.empty`, with `.away`, with `.olderFormat`, with `.newerFormat`, and with `.refused` if the
  /// archive is changed again and again; and for the disk. What is wrong with the archive is in the result.
  package static func verify(
    _ archive: any Archive,
    on disk: Disk = .system
  ) async throws(PersistenceError) -> Verification {
    let directory = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
    let path = try StorePath(
      directory.appendingPathComponent("strata-archive.strata").path,
      for: .archiving
    )
    do {
      // What a killed process has left.
      try NewFile.removeAbandoned(besides: path, .ofSameStore)
      return try await ArchivePull(from: archive, to: path, on: disk).verify()
    } catch {
      throw PersistenceError(.archiving, path: path.file, wrapping: error)
    }
  }

  private func verify() async throws -> Verification {
    for _ in 0..<Self.attempts {
      let contents = await contents()
      let verification = try await runChecks()
      if verification.isSound { return verification }
      // An archive whose contents cannot be listed was not changed, but is damaged.
      guard let contents, let now = await self.contents(), !now.includes(contents) else {
        return verification
      }
    }
    throw ArchiveError(.refused, archive: archive.name)
  }

  /// What can be removed from an archive.
  private struct Contents: Sendable {
    let first: HistoryMark?
    let last: HistoryMark
    let snapshots: Set<HistoryMark>

    /// Whether nothing of an earlier state was removed.
    func includes(_ earlier: Contents) -> Bool {
      first == earlier.first && last.revision >= earlier.last.revision
        && snapshots.isSuperset(of: earlier.snapshots)
    }
  }

  private func contents() async -> Contents? {
    do throws(ArchiveError) {
      guard let head = try await archive.head() else { return nil }
      return Contents(
        first: try await archive.segments(after: 0, bytes: 1).first?.start,
        last: head.mark,
        snapshots: Set(try await archive.snapshots().map(\.mark))
      )
    } catch {
      return nil
    }
  }

  private func runChecks() async throws -> Verification {
    var verification = Verification(path: archive.name)
    var found: ArchiveHead?
    try await run("head", &verification) {
      guard let head = try await archive.head() else {
        throw ArchiveError(.empty, archive: archive.name)
      }
      found = head
      return "store \(head.store.uuidString.lowercased()), epoch \(head.epoch), \(head.mark)"
    }
    guard let head = found else { return verification }
    try await run("catalog", &verification) {
      let catalog = try await ArchiveCatalog(of: archive)
      try catalog.verify()
      let erasures = try catalog.erasures()
      return Measures.count(erasures.count, "erasure", "erasures")
    }
    var snapshots: [ArchiveSnapshot] = []
    var gaps: [ClosedRange<Revision>] = []
    try await run("contents", &verification) {
      snapshots = try await archive.snapshots().filter {
        $0.mark.revision <= head.mark.revision
      }
      gaps = try await archive.gaps()
      if snapshots.isEmpty { throw CorruptionError("no snapshot, so nothing can be restored") }
      return Self.text(of: snapshots.count, gaps)
    }
    try await run("segments", &verification) { try await verifySegments(head, snapshots) }
    for (index, snapshot) in snapshots.enumerated() {
      let next = index + 1 < snapshots.count ? snapshots[index + 1].mark.revision : nil
      let end = End(after: snapshot.mark.revision, before: next, gaps)
      try await run("snapshot \(snapshot.mark.revision)", &verification) {
        let position = try await verify(snapshot, to: end, head)
        let entities = Measures.count(snapshot.entities, "entity", "entities")
        return "\(entities), and the deltas through revision \(position.revision)"
      }
    }
    return verification
  }

  private static func text(of snapshots: Int, _ gaps: [ClosedRange<Revision>]) -> String {
    let runs = gaps.map { "\($0.lowerBound) to \($0.upperBound)" }.joined(separator: ", ")
    let snapshots = Measures.count(snapshots, "snapshot", "snapshots")
    return gaps.isEmpty ? snapshots : "\(snapshots); the revisions \(runs) as a snapshot only"
  }

  /// Runs a check that returns what it found, or throws what is wrong; throws what does not concern the archive.
  private func run(
    _ name: String,
    _ verification: inout Verification,
    _ check: () async throws -> String
  ) async throws {
    let result: Result<String, ArchiveError>
    do {
      result = .success(try await check())
    } catch {
      let finding = try ArchiveError(of: archive.name, foundBy: error)
      guard case .damaged = finding.reason else { throw finding }
      result = .failure(finding)
    }
    verification.run(name) {
      guard case .failure(let error) = result, case .damaged(let detail) = error.reason else {
        return try result.get()
      }
      throw CorruptionError(detail)
    }
  }

  /// Verifies each delta, that the segments continue each other, and that snapshots belong to their history.
  private func verifySegments(
    _ head: ArchiveHead,
    _ snapshots: [ArchiveSnapshot]
  ) async throws -> String {
    let marks = Dictionary(snapshots.map { ($0.mark.revision, $0.mark) }) { first, _ in first }
    var end: HistoryMark?
    var (count, deltas) = (0, 0)
    reading: while (end?.revision ?? 0) < head.mark.revision {
      let segments = try await archive.segments(after: end?.revision ?? 0, bytes: Self.batch)
      if segments.isEmpty { break }
      for segment in segments {
        if segment.end.revision > head.mark.revision { break reading }
        // After a gap there is a snapshot.
        let mayStart = marks[segment.start.revision] == segment.start
        if let end, segment.start != end, !mayStart {
          throw damaged(
            """
            the segment through \(segment.end) starts at \(segment.start), and the one before ends at \(end)
            """
          )
        }
        for frame in try segment.frames() {
          let mark = HistoryMark(frame.header.revision, frame.chain)
          if let other = marks[mark.revision], other != mark {
            throw damaged("the snapshot at \(other) belongs to another history than \(mark)")
          }
        }
        end = segment.end
        count += 1
        deltas += segment.deltas
      }
    }
    guard end == head.mark || marks[head.mark.revision] == head.mark else {
      throw damaged(
        "its deltas end at \(end.map { "\($0)" } ?? "no revision"), its head is at \(head.mark)"
      )
    }
    let segments = Measures.count(count, "segment", "segments")
    return "\(segments), \(Measures.count(deltas, "delta", "deltas"))"
  }

  /// Verifies that the archive can be pulled as it is at a head; O(entities, and deltas after the last snapshot).
  ///
  /// It needs room for the store beside the path.
  ///
  /// - Throws: `ArchiveError` with `.damaged`; and for the connection and the disk.
  func verifyEnd(at head: ArchiveHead) async throws {
    let last: ArchiveSnapshot?
    do {
      last = try await archive.snapshots().last { $0.mark.revision <= head.mark.revision }
    } catch {
      throw try ArchiveError(of: archive.name, foundBy: error)
    }
    // Without a snapshot nothing can be pulled yet.
    guard let last else { return }
    do {
      _ = try await verify(last, to: .head, head)
    } catch {
      throw try ArchiveError(of: archive.name, foundBy: error)
    }
  }

  /// Verifies a snapshot and the deltas after it, as a pull does.
  private func verify(
    _ snapshot: ArchiveSnapshot,
    to end: End,
    _ head: ArchiveHead
  ) async throws -> Position {
    let file = NewFile(replacing: path, for: .archiving, on: disk)
    defer { file.removeLeftovers() }
    let position = try await fill(file, from: snapshot, to: end, head)
    try file.verify()
    return position
  }
}

extension ArchivePull.End {
  /// The end of the deltas that a snapshot is the last one before.
  fileprivate init(
    after snapshot: Revision,
    before next: Revision?,
    _ gaps: [ClosedRange<Revision>]
  ) {
    let gap = gaps.first { $0.upperBound > snapshot && $0.upperBound <= next ?? $0.upperBound }
    if let gap {
      self = .point(.revision(max(snapshot, gap.lowerBound.previous)))
    } else {
      self = next.map { .point(.revision($0)) } ?? .head
    }
  }
}
