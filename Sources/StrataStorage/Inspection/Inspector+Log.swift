/// A range of the journal's deltas.
package enum JournalRange: Sendable, Equatable {
  /// The last so many.
  case last(Int)
  /// Up to so many after a revision.
  case after(Revision, limit: Int)
}

/// Deltas of the journal, and what their range lacks.
package struct JournalPage: Sendable, Equatable {
  package var deltas: [DeltaSummary]
  /// The last revision, where the range goes on after the last of the deltas.
  package var more: Revision?
  /// The first revision that the journal still has, where the range begins before it.
  package var trimmed: Revision?
}

extension Inspector {
  /// Deltas of the journal in order, with the entities each changed; their hashes are verified.
  ///
  /// O(their entities).
  package func log(_ range: JournalRange) throws(PersistenceError) -> JournalPage {
    try query { view in
      let (start, limit) = try view.start(of: range)
      var page = JournalPage(deltas: [], trimmed: view.trimmed(from: range))
      guard let start else { return page }
      var replay = view.replay(
        after: start.previous,
        chain: try view.chain(before: start)
      )
      while page.deltas.count < limit, replay.revision < view.last.revision,
        let (header, blocks) = try replay.next()
      {
        page.deltas.append(try DeltaSummary(header, blocks))
      }
      if replay.revision < view.last.revision { page.more = view.last.revision }
      if case .last(let count) = range, page.deltas.count == count { page.trimmed = nil }
      return page
    }
  }
}

extension ReadView {
  /// The first revision of the journal, if a range that begins here reaches before it.
  fileprivate func trimmed(from range: JournalRange) -> Revision? {
    let oldest = first ?? last.revision.next
    let wanted =
      switch range {
      case .last: Revision(1)
      case .after(let revision, _): revision.next
      }
    return wanted < oldest && oldest > Revision(1) ? oldest : nil
  }

  /// The first revision of a range's first delta, and the most deltas it can have; nil for an empty range.
  fileprivate func start(of range: JournalRange) throws -> (start: Revision?, limit: Int) {
    switch range {
    case .last(let count):
      let headers = try journal.headers(before: last.revision.next, limit: count)
      return (headers.last?.header.first, count)
    case .after(let revision, let limit):
      let headers = try journal.headers(after: revision, limit: 1)
      return (headers.first?.header.first, limit)
    }
  }
}
