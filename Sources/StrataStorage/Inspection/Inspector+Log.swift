/// A range of the journal's deltas.
package enum JournalRange: Sendable, Equatable {
  /// The last so many.
  case last(Int)
  /// Up to so many after a revision.
  case after(Revision, limit: Int)
}

extension Inspector {
  /// Deltas of the journal in order, with the entities each changed; their hashes are verified.
  ///
  /// O(their entities).
  package func log(_ range: JournalRange) throws(PersistenceError) -> [DeltaSummary] {
    try query { view in
      let (start, limit) = try view.start(of: range)
      guard let start else { return [] }
      var replay = view.replay(
        after: start.previous,
        chain: try view.chain(before: start)
      )
      var deltas: [DeltaSummary] = []
      while deltas.count < limit, replay.revision < view.last.revision,
        let (header, blocks) = try replay.next()
      {
        deltas.append(DeltaSummary(header, blocks))
      }
      return deltas
    }
  }
}

extension ReadView {
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
