#if Postgres
  import Foundation
  import StrataBase
  public import StrataArchiving
  public import StrataJournal

  /// Segments.
  extension PostgresArchive {
    /// Appends a segment after the head, with one statement.
    public func append(
      _ segment: ArchiveSegment,
      catalog: [UInt8]?,
      in term: ArchiveTerm
    ) throws(ArchiveError) {
      try perform { call in
        if let flaw = segment.flaw { throw ArchiveError.Reason.unusable(flaw) }
        guard call.hasSchema else { throw ArchiveError.Reason.empty }
        guard segment.epoch == term.epoch else { throw ArchiveError.Reason.refused }
        let appended = try call.connection.runPrepared(
          PostgresStatements.append,
          parameters(of: segment, catalog: catalog, in: term),
          until: call.deadline
        )
        if appended.isEmpty { throw try refusal(call) }
      }
      notifyFollowers()
    }

    /// The parameters of ``PostgresStatements/append``.
    func parameters(
      of segment: ArchiveSegment,
      catalog: [UInt8]?,
      in term: ArchiveTerm
    ) -> [PostgresValue] {
      [
        .text(store),
        .integer(term.epoch),
        leader(term),
        .integer(term.lease.leaseMicroseconds),
        .integer(segment.start.revision.number),
        .bytes([UInt8](hexadecimal: segment.start.chain)),
        .integer(segment.end.revision.number),
        .bytes([UInt8](hexadecimal: segment.end.chain)),
        .integer(Int64(segment.deltas)),
        .integer(segment.times.lowerBound.nearestMicrosecond),
        .integer(segment.times.upperBound.nearestMicrosecond),
        .bytes(segment.body),
        catalog.map { .bytes($0) } ?? .noBytes,
      ]
    }

    /// The segments that have a delta after a revision; at most 1,000 at once.
    public func segments(
      after revision: Revision,
      bytes: Int
    ) throws(ArchiveError) -> [ArchiveSegment] {
      try perform(reading: true) { call in
        guard call.hasSchema else { return [] }
        return try call.runPrepared(
          PostgresStatements.segments,
          .text(store),
          .integer(revision.number),
          .integer(Int64(bytes))
        ).map { try Self.segment($0) }
      }
    }

    private static func segment(_ row: PostgresRow) throws(ArchiveError.Reason) -> ArchiveSegment {
      let times = (try row.integer(6), try row.integer(7))
      guard times.0 <= times.1, let deltas = Int(exactly: try row.integer(5)) else {
        throw .damaged("a segment has no times or deltas")
      }
      let segment = ArchiveSegment(
        start: try row.mark(0, 1),
        end: try row.mark(2, 3),
        epoch: try row.integer(4),
        deltas: deltas,
        times: Date(microseconds: times.0)...Date(microseconds: times.1),
        body: try row.bytes(8)
      )
      if let flaw = segment.flaw { throw .damaged(flaw) }
      return segment
    }

    /// The revisions that no segment has; the server reads a row of each segment, without its body.
    public func gaps() throws(ArchiveError) -> [ClosedRange<Revision>] {
      try perform(reading: true) { call in
        guard call.hasSchema else { return [] }
        return try call.run(PostgresStatements.gaps, .text(store)).map { row in
          let (first, last) = (try row.integer(0), try row.integer(1))
          guard first <= last else { throw ArchiveError.Reason.damaged("its segments overlap") }
          return Revision(first)...Revision(last)
        }
      }
    }

    /// What is in no delta: an image of the store without its history.
    public func catalog() throws(ArchiveError) -> [UInt8] {
      try perform(reading: true) { call in
        guard call.hasSchema,
          let row = try call.run(PostgresStatements.catalog, .text(store)).first
        else { throw ArchiveError.Reason.empty }
        guard row.has(1) else { throw ArchiveError.Reason.notFound("catalog") }
        return try row.bytes(1)
      }
    }
  }
#endif
