import Foundation
package import StrataBase
import StrataRecords
import StrataSQLite

/// Reads the deltas after a point one by one and verifies each: no gap, and an unbroken chain.
package struct JournalReplay {
  private let journal: Journal
  private let catalog: LayoutCatalog
  private let identity: StoreIdentity
  /// The revision of the last verified delta, or of the start.
  package private(set) var revision: Revision
  package private(set) var chain: Checksum
  package private(set) var deltas = 0
  package private(set) var bytes: Int64 = 0
  /// Deltas that were read ahead, in reverse order.
  private var ahead: [StoredDelta] = []
  /// The runs of deltas that an index can skip, in reverse order.
  private var runs: [IndexedRun] = []
  private var hasRuns = false

  /// How many bytes are read ahead.
  ///
  /// With 0, a delta that cannot be read does not fail the ones before it.
  private let readAhead: Int

  package init(
    after revision: Revision,
    chain: Checksum,
    of identity: StoreIdentity,
    in journal: Journal,
    _ catalog: LayoutCatalog,
    readingAhead readAhead: Int = 1 << 20
  ) {
    self.readAhead = readAhead
    self.journal = journal
    self.catalog = catalog
    self.identity = identity
    self.revision = revision
    self.chain = chain
  }

  /// The next delta with all its blocks; nil at the end.
  ///
  /// - Throws: `CorruptionError` at a gap or a broken chain.
  package mutating func next() throws -> (header: DeltaHeader, blocks: [ChangeBlock])? {
    guard let row = try peek() else { return nil }
    ahead.removeLast()
    let verified = try verifier.verify(row, try bodies(of: row), after: revision, chain)
    note(verified.header, row.hash)
    return verified
  }

  /// The next delta, which is not verified yet; nil at the end.
  mutating func peek() throws -> StoredDelta? {
    if ahead.isEmpty {
      ahead = try journal.deltas(after: revision, upTo: readAhead).reversed()
    }
    return ahead.last
  }

  /// Passes the next delta, and calls a closure with each of its blocks, one of which is in memory at a time.
  ///
  /// - Throws: as ``next()``; then what the closure received does not count.
  mutating func passNext(_ receive: (ChangeBlock) -> Void) throws {
    guard let row = try peek() else { return }
    ahead.removeLast()
    try verifier.verify(
      row,
      after: revision,
      chain,
      block: { number in try journal.block(number, of: row.header.revision) },
      receive: receive
    )
    note(row.header, row.hash)
  }

  /// Passes the deltas between two marks, whose changes the caller holds.
  ///
  /// - Throws: `CorruptionError` if the delta before them is another one.
  mutating func pass(
    after start: HeadRecord.Mark,
    through end: HeadRecord.Mark
  ) throws(CorruptionError) {
    guard start.chain == chain else {
      throw CorruptionError.hashMismatch(
        in: "delta \(revision)",
        stored: chain,
        computed: start.chain
      )
    }
    (revision, chain) = (end.revision, end.chain)
    ahead.removeAll()
  }

  /// The next delta that changes something in a scope, with all its blocks; nil if none does up to `last`.
  ///
  /// Runs that have an index are skipped as far as it allows; see ``ChangeIndex``. Elsewhere the next delta
  /// is returned, even if it only changes others. Every call is for the same scope.
  ///
  /// - Parameter check: called now and then; ends the reading by an error.
  /// - Throws: as ``next()``.
  package mutating func next(
    changing scope: ReadScope,
    through last: Revision,
    check: () throws -> Void = {}
  ) throws -> (header: DeltaHeader, blocks: [ChangeBlock])? {
    try findRuns(changing: scope, through: last)
    while revision < last {
      try check()
      while let run = runs.last, run.last <= revision { runs.removeLast() }
      guard let run = runs.last, run.first <= revision.next else { return try next() }
      ahead.removeAll()
      if let found = run.deltas.first(where: { $0 > revision }), found <= last {
        try move(before: found)
        return try nextAlone()
      }
      let before = revision
      try move(over: run, through: last)
      if revision == before { return nil }
    }
    return nil
  }

  /// Finds the runs that an index helps to skip, once.
  private mutating func findRuns(changing scope: ReadScope, through last: Revision) throws {
    guard !hasRuns else { return }
    hasRuns = true
    guard let wanted = IndexedScope(scope) else { return }
    var found: [IndexedRun] = []
    var builder = ChecksumBuilder()
    // Where an index cannot be read, the deltas can.
    _ = try CorruptionError.nilIfCorrupt {
      try journal.forEachIndex(after: revision) { end, chain, index in
        // If most deltas of a run are needed, a sequential read is cheaper.
        if let run = ChangeIndex.run(of: wanted, in: index, last: end, chain: chain, &builder),
          run.first > found.last?.last ?? 0,
          Int64(run.deltas.count) * 8 <= run.last.number - run.first.number
        {
          found.append(run)
        }
        return end < last ? .continue : .stop
      }
    }
    runs = found.reversed()
  }

  /// How many of the revisions up to `last` an index can skip.
  private mutating func countOfIndexed(
    changing scope: ReadScope,
    through last: Revision
  ) throws -> Int64 {
    try findRuns(changing: scope, through: last)
    return runs.reduce(0) {
      $0 + min($1.last, last).number - max($1.first, revision.next).number + 1
    }
  }

  /// The next delta, without reading ahead.
  private mutating func nextAlone() throws -> (header: DeltaHeader, blocks: [ChangeBlock])? {
    ahead = try journal.deltas(after: revision, upTo: 0)
    return try ahead.isEmpty ? nil : next()
  }

  /// Moves to the end of the delta before another one.
  private mutating func move(before delta: Revision) throws {
    guard let before = try journal.headers(before: delta, limit: 1).first,
      before.header.revision > revision
    else { return }
    (revision, chain) = (before.header.revision, before.hash)
  }

  /// Moves to the end of a run whose remaining deltas are not needed, or to the last delta up to `last`.
  private mutating func move(over run: IndexedRun, through last: Revision) throws {
    if run.last <= last { return (revision, chain) = (run.last, run.chain) }
    try move(before: last.next)
  }

  private var verifier: DeltaVerifier { DeltaVerifier(storeID: identity.id, catalog: catalog) }

  private mutating func note(_ header: DeltaHeader, _ hash: Checksum) {
    revision = header.revision
    chain = hash
    deltas += 1
    bytes += Int64(header.footprint)
  }

  /// The blocks of a delta up to the first that is missing, which is nil.
  private func bodies(of row: StoredDelta) throws -> [[UInt8]?] {
    var bodies: [[UInt8]?] = [row.body]
    while bodies.count < row.header.blocks, bodies.last != .some(nil) {
      bodies.append(try journal.block(bodies.count, of: row.header.revision))
    }
    return bodies
  }

  /// Adds the further deltas to an overlay, up to the first one that reaches `last` if given.
  ///
  /// Where indexes cover most of the deltas, only those that they name and those without an index are read. Else all are
  /// verified on several threads: the chain before each is stored with the delta before it. The error that is thrown is
  /// that of the first delta in order that has one.
  ///
  /// - Parameter note: receives each delta once it was added.
  package mutating func replay(
    into overlay: inout Overlay,
    in scope: ReadScope = .everything,
    through last: Revision? = nil,
    note: (Revision) -> Void = { _ in }
  ) throws {
    if let end = last, try isFasterOneByOne(scope, through: end) {
      var isMore = true
      while isMore, revision < end {
        isMore = try journal.connection.reading {
          try replayFew(into: &overlay, in: scope, through: end, note)
        }.get()
      }
      return
    }
    let verifier = verifier
    var start = (revision: revision, chain: chain)
    var failure: (any Error)?
    try ParallelMap.run(
      next: { () throws -> DeltaBatch? in
        guard failure == nil, last.map({ start.revision < $0 }) ?? true else { return nil }
        do {
          guard let batch = try batch(after: start, through: last), let end = batch.rows.last else {
            return nil
          }
          start = (end.delta.header.revision, end.delta.hash)
          return batch
        } catch {
          // The deltas before it may be damaged too, and are reported first.
          failure = error
          return nil
        }
      },
      makeWorker: { { (batch: DeltaBatch) in verifier.verify(batch) } },
      receive: { verified in
        for (delta, hash) in verified.deltas {
          self.note(delta.header, hash)
          for block in delta.blocks { overlay.add(block) }
          note(delta.header.revision)
        }
        if let error = verified.failure { throw error }
      }
    )
    if let failure { throw failure }
  }

  /// Replays the next deltas that change something in a scope, while the file is held for reading.
  ///
  /// Holding the file for each statement costs more than the statement; a writer must not wait long.
  private mutating func replayFew(
    into overlay: inout Overlay,
    in scope: ReadScope,
    through end: Revision,
    _ note: (Revision) -> Void
  ) throws -> Bool {
    let most = bytes + 1 << 20
    for _ in 0..<128 where bytes < most {
      guard revision < end, let (header, blocks) = try next(changing: scope, through: end) else {
        return false
      }
      for block in blocks { overlay.add(block) }
      note(header.revision)
    }
    return true
  }

  /// Whether reading only what a scope needs costs less than reading all deltas on several threads.
  private mutating func isFasterOneByOne(_ scope: ReadScope, through last: Revision) throws -> Bool
  {
    let indexed = try countOfIndexed(changing: scope, through: last)
    return indexed > 0 && 2 * indexed >= last.number - revision.number
  }

  /// The next deltas after a revision, about as many bytes as one thread should verify at a time.
  private mutating func batch(
    after start: (revision: Revision, chain: Checksum),
    through last: Revision?
  ) throws -> DeltaBatch? {
    let read =
      ahead.isEmpty
      ? try journal.deltas(after: start.revision, upTo: min(readAhead, 128 << 10))
      : ahead.reversed()
    ahead = []
    var rows: [DeltaBatch.Row] = []
    for delta in read {
      rows.append(.init(delta: delta, bodies: try bodies(of: delta)))
      if let last, delta.header.revision >= last { break }
    }
    return rows.isEmpty ? nil : DeltaBatch(revision: start.revision, chain: start.chain, rows: rows)
  }
}

/// Deltas as read from the file, which any thread can verify.
private struct DeltaBatch: Sendable {
  struct Row: Sendable {
    let delta: StoredDelta
    /// Its blocks up to the first that is missing, which is nil.
    let bodies: [[UInt8]?]
  }

  /// The revision before the first one, and the chain there.
  let revision: Revision
  let chain: Checksum
  let rows: [Row]
}

/// Verifies deltas: no gap, and an unbroken chain.
private struct DeltaVerifier: Sendable {
  typealias Verified = (header: DeltaHeader, blocks: [ChangeBlock])

  let storeID: UUID
  let catalog: LayoutCatalog

  /// The deltas of a batch before the first that has an error, and that error.
  func verify(
    _ batch: DeltaBatch
  ) -> (deltas: [(delta: Verified, hash: Checksum)], failure: (any Error)?) {
    var verified: [(delta: Verified, hash: Checksum)] = []
    verified.reserveCapacity(batch.rows.count)
    var (revision, chain) = (batch.revision, batch.chain)
    do {
      for row in batch.rows {
        let delta = try verify(row.delta, row.bodies, after: revision, chain)
        verified.append((delta, row.delta.hash))
        (revision, chain) = (delta.header.revision, row.delta.hash)
      }
      return (verified, nil)
    } catch {
      return (verified, error)
    }
  }

  /// - Throws: `CorruptionError` at a gap, a missing block or a broken chain.
  func verify(
    _ row: StoredDelta,
    _ bodies: [[UInt8]?],
    after revision: Revision,
    _ chain: Checksum
  ) throws -> Verified {
    var blocks: [ChangeBlock] = []
    try verify(row, after: revision, chain, block: { bodies[$0] }, receive: { blocks.append($0) })
    return (row.header, blocks)
  }

  /// - Parameters:
  ///   - block: gives a block other than the first; nil if it is missing.
  ///   - receive: receives each block before the chain is compared.
  /// - Throws: `CorruptionError` at a gap, a missing block or a broken chain.
  func verify(
    _ row: StoredDelta,
    after revision: Revision,
    _ chain: Checksum,
    block: (Int) throws -> [UInt8]?,
    receive: (ChangeBlock) -> Void
  ) throws {
    let header = row.header
    guard header.first == revision.next, header.revision >= header.first else {
      throw CorruptionError(
        "the journal has no delta between revisions \(revision) and \(header.first)"
      )
    }
    var hashes: [Checksum] = []
    var numbers: [Int64] = []
    for number in 0..<header.blocks {
      let place = "block \(number) of delta \(header.revision)"
      guard let body = number == 0 ? row.body : try block(number) else {
        throw CorruptionError("\(place) is missing")
      }
      let read = try ChangeBlock(body, of: place)
      hashes.append(Checksum(of: body))
      numbers = number == 0 ? read.layoutNumbers : Set(numbers + read.layoutNumbers).inOrder()
      receive(read)
    }
    let expected = header.chain(
      after: chain,
      storeID: storeID,
      blocks: hashes,
      sortedLayouts: try numbers.map { ($0, try catalog.layout($0).id) }
    )
    guard expected == row.hash else {
      throw CorruptionError.hashMismatch(
        in: "delta \(header.revision)",
        stored: row.hash,
        computed: expected
      )
    }
  }
}
