#if Postgres
  import Foundation
  import StrataBase
  public import StrataArchiving
  public import StrataJournal

  /// Snapshots.
  extension PostgresArchive {
    /// The snapshots, the oldest first.
    public func snapshots() throws(ArchiveError) -> [ArchiveSnapshot] {
      try perform(reading: true) { call in
        guard call.hasSchema else { return [] }
        return try call.run(PostgresStatements.snapshots, .text(store)).map {
          try Self.snapshot($0)
        }
      }
    }

    private static func snapshot(_ row: PostgresRow) throws -> ArchiveSnapshot {
      guard let entities = Int(exactly: try row.integer(4)) else {
        throw ArchiveError.Reason.damaged("a snapshot has too many entities")
      }
      let snapshot = ArchiveSnapshot(
        mark: try row.mark(0, 1),
        time: Date(microseconds: try row.integer(2)),
        names: try JSONDecoder().decode([String].self, from: Data(try row.bytes(3))),
        entities: entities,
        bytes: try row.integer(5)
      )
      if let flaw = snapshot.flaw { throw ArchiveError.Reason.damaged(flaw) }
      return snapshot
    }

    /// The list of a snapshot.
    public func list(
      of snapshot: Revision
    ) throws(ArchiveError) -> ArchiveSnapshot.List {
      try perform(reading: true) { call in
        let rows =
          call.hasSchema
          ? try call.run(PostgresStatements.list, .text(store), .integer(snapshot.number)) : []
        guard let image = rows.first(where: { !$0.has(0) }) else {
          throw ArchiveError.Reason.notFound("snapshot \(snapshot)")
        }
        var chunks: [Int64: ArchiveChunk.ID] = [:]
        for row in rows where row.has(0) {
          chunks[try row.integer(0)] = try Self.chunk(try row.bytes(1))
        }
        return ArchiveSnapshot.List(image: try image.bytes(1), chunks: chunks)
      }
    }

    private static func chunk(_ hash: [UInt8]) throws(ArchiveError.Reason) -> ArchiveChunk.ID {
      guard let id = ArchiveChunk.ID(hash.hexadecimal) else {
        throw .damaged("the hash of a chunk has \(hash.count) bytes, it must have 32")
      }
      return id
    }

    /// Adds a snapshot whose chunks are there, in one transaction.
    public func add(
      _ snapshot: ArchiveSnapshot,
      _ list: ArchiveSnapshot.List,
      catalog: [UInt8]?,
      in term: ArchiveTerm
    ) throws(ArchiveError) {
      try perform { call in
        if let flaw = snapshot.flaw { throw ArchiveError.Reason.unusable(flaw) }
        guard call.hasSchema else { throw ArchiveError.Reason.empty }
        try call.transaction {
          let store = try moveHead(
            to: snapshot.mark,
            PostgresStatements.moveHeadToSnapshot,
            in: term,
            call
          )
          try checkChunks(of: list, call)
          try put(snapshot, list, in: store, call)
          if let catalog {
            try call.run(PostgresStatements.putCatalog, store, .bytes(catalog))
          }
        }
      }
      notifyFollowers()
    }

    /// Starts again with a snapshot and the segments after it, and removes all else, in one transaction.
    public func restart(
      from snapshot: ArchiveSnapshot,
      _ list: ArchiveSnapshot.List,
      _ segments: [ArchiveSegment],
      catalog: [UInt8],
      in term: ArchiveTerm
    ) throws(ArchiveError) {
      try perform { call in
        if let flaw = ArchiveSegment.flaw(of: segments, after: snapshot) {
          throw ArchiveError.Reason.unusable(flaw)
        }
        guard call.hasSchema else { throw ArchiveError.Reason.empty }
        guard segments.allSatisfy({ $0.epoch == term.epoch }) else {
          throw ArchiveError.Reason.refused
        }
        try call.transaction {
          let store = try moveHead(
            to: snapshot.mark,
            PostgresStatements.restart,
            in: term,
            call
          )
          try checkChunks(of: list, call)
          try call.run(PostgresStatements.removeAllSegments, store)
          try call.run(PostgresStatements.removeAllSnapshots, store)
          try put(snapshot, list, in: store, call)
          try call.run(PostgresStatements.removeUnlistedChunks, store)
          try call.run(PostgresStatements.putCatalog, store, .bytes(catalog))
          for segment in segments {
            let appended = try call.connection.run(
              PostgresStatements.append,
              parameters(of: segment, catalog: nil, in: term),
              until: call.deadline
            )
            if appended.isEmpty { throw ArchiveError.Reason.refused }
          }
        }
      }
      notifyFollowers()
    }

    /// Moves the head as a statement says, and locks the store; returns its number.
    private func moveHead(
      to mark: HistoryMark,
      _ statement: String,
      in term: ArchiveTerm,
      _ call: Call
    ) throws -> PostgresValue {
      let moved = try call.run(
        statement,
        .text(store),
        .integer(term.epoch),
        leader(term),
        .integer(term.lease.leaseMicroseconds),
        .integer(mark.revision.number),
        .bytes([UInt8](hexadecimal: mark.chain))
      )
      guard let row = moved.first else { throw try refusal(call) }
      return .integer(try row.integer(0))
    }

    private func checkChunks(of list: ArchiveSnapshot.List, _ call: Call) throws {
      let hashes = Set(list.chunks.values).map { [UInt8](hexadecimal: $0.description) }
      let missing = try call.run(PostgresStatements.missing, .text(store), .byteStrings(hashes))
      if let row = missing.first {
        throw ArchiveError.Reason.notFound("chunk \(try Self.chunk(try row.bytes(0)))")
      }
    }

    private func put(
      _ snapshot: ArchiveSnapshot,
      _ list: ArchiveSnapshot.List,
      in store: PostgresValue,
      _ call: Call
    ) throws {
      let revision = PostgresValue.integer(snapshot.mark.revision.number)
      try call.run(PostgresStatements.removeSnapshot, store, revision)
      try call.run(
        PostgresStatements.addSnapshot,
        store,
        revision,
        .bytes([UInt8](hexadecimal: snapshot.mark.chain)),
        .integer(snapshot.time.nearestMicrosecond),
        .texts(snapshot.names),
        .integer(Int64(snapshot.entities)),
        .integer(snapshot.bytes),
        .bytes(list.image)
      )
      let chunks = list.chunks.sorted { $0.key < $1.key }
      try call.run(
        PostgresStatements.addList,
        store,
        revision,
        .integers(chunks.map(\.key)),
        .byteStrings(chunks.map { [UInt8](hexadecimal: $0.value.description) })
      )
    }
  }

  /// Chunks.
  extension PostgresArchive {
    /// Those of the chunks that the archive does not have.
    public func missing(
      _ chunks: [ArchiveChunk.ID]
    ) throws(ArchiveError) -> [ArchiveChunk.ID] {
      var missing: [ArchiveChunk.ID] = []
      for batch in chunks.batches(of: 10_000, cost: { _ in 1 }) {
        missing += try perform { call in
          guard call.hasSchema else { return batch }
          let hashes = batch.map { [UInt8](hexadecimal: $0.description) }
          return try call.run(PostgresStatements.missing, .text(store), .byteStrings(hashes))
            .map { try Self.chunk(try $0.bytes(0)) }
        }
      }
      return missing
    }

    /// Adds chunks, about 16 MB with each statement.
    public func add(_ chunks: [ArchiveChunk], in term: ArchiveTerm) throws(ArchiveError) {
      for batch in chunks.batches(of: 16 << 20, cost: { $0.body.count + 64 }) {
        // One statement must not have the same row twice.
        let bodies = Dictionary(batch.map { ($0.id, $0.body) }) { first, _ in first }
        let ids = bodies.keys.sorted { $0.description < $1.description }
        try perform { call in
          guard call.hasSchema else { throw ArchiveError.Reason.empty }
          let fence = try call.run(
            PostgresStatements.addChunks,
            .text(store),
            .integer(term.epoch),
            leader(term),
            .byteStrings(ids.map { [UInt8](hexadecimal: $0.description) }),
            .byteStrings(ids.compactMap { bodies[$0] })
          )
          if fence.isEmpty { throw try refusal(call) }
        }
      }
    }

    /// The chunks, with one statement: ask for as many as fit into memory.
    public func chunks(_ ids: [ArchiveChunk.ID]) throws(ArchiveError) -> [ArchiveChunk] {
      try perform(reading: true) { call in
        let hashes = ids.map { [UInt8](hexadecimal: $0.description) }
        let rows =
          call.hasSchema
          ? try call.run(PostgresStatements.chunks, .text(store), .byteStrings(hashes)) : []
        var bodies: [ArchiveChunk.ID: [UInt8]] = [:]
        for row in rows { bodies[try Self.chunk(try row.bytes(0))] = try row.bytes(1) }
        return try ids.map { id in
          guard let body = bodies[id] else {
            throw ArchiveError.Reason.notFound("chunk \(id)")
          }
          return ArchiveChunk(id: id, body: body)
        }
      }
    }
  }

  /// Removing.
  extension PostgresArchive {
    /// Removes segments, snapshots, and the chunks that no snapshot lists for an hour.
    ///
    /// It takes several short transactions, the oldest segments first, so that a leader is not kept waiting. After an error
    /// some of it may be removed.
    public func remove(
      segmentsThrough revision: Revision,
      snapshots: [Revision]
    ) throws(ArchiveError) {
      try repeated { call, store in
        try !call.run(
          PostgresStatements.removeSegments,
          store,
          .integer(revision.number),
          .integer(64 << 20)
        ).isEmpty
      }
      try repeated { call, store in
        let revisions = PostgresValue.integers(snapshots.map(\.number))
        try call.run(PostgresStatements.removeSnapshots, store, revisions)
        return false
      }
      try repeated { call, store in
        try !call.run(PostgresStatements.removeChunks, store).isEmpty
      }
    }

    /// Removes the store, its row last.
    ///
    /// It takes several short transactions, and each extends the lease of the term.
    public func removeStore(in term: ArchiveTerm) throws(ArchiveError) {
      try repeated(in: term) { call, store in
        try call.run(PostgresStatements.removeAllSnapshots, store)
        return false
      }
      try repeated(in: term) { call, store in
        try !call.run(
          PostgresStatements.removeSegments,
          store,
          .integer(.max),
          .integer(64 << 20)
        ).isEmpty
      }
      try repeated(in: term) { call, store in
        try !call.run(PostgresStatements.removeSomeChunks, store).isEmpty
      }
      try repeated(in: term) { call, store in
        try call.run(PostgresStatements.removeStore, store)
        return false
      }
    }

    /// Runs transactions that hold the lock of the store, until one has nothing more to do.
    ///
    /// - Parameter term: the leadership that is checked; nil where none is needed.
    private func repeated(
      in term: ArchiveTerm? = nil,
      _ body: (Call, PostgresValue) throws -> Bool
    ) throws(ArchiveError) {
      var isUnfinished = true
      while isUnfinished {
        isUnfinished = try perform { call in
          guard call.hasSchema else { throw ArchiveError.Reason.empty }
          return try call.transaction { try body(call, try lock(in: term, call)) }
        }
      }
    }

    /// Locks the store, and returns its number.
    private func lock(in term: ArchiveTerm?, _ call: Call) throws -> PostgresValue {
      guard let term else {
        guard let row = try call.run(PostgresStatements.lock, .text(store)).first else {
          throw ArchiveError.Reason.empty
        }
        return .integer(try row.integer(0))
      }
      let held = try call.run(
        PostgresStatements.hold,
        .text(store),
        .integer(term.epoch),
        leader(term),
        .integer(term.lease.leaseMicroseconds)
      )
      guard let row = held.first else { throw try refusal(call) }
      return .integer(try row.integer(0))
    }

    /// How many bytes it has for the store; the server reads a row of each segment and chunk, without its body.
    public func bytes() throws(ArchiveError) -> Int64 {
      try perform(reading: true) { call in
        guard call.hasSchema,
          let row = try call.run(PostgresStatements.bytes, .text(store)).first
        else { return 0 }
        return try row.integer(0)
      }
    }
  }

  extension Array {
    /// The elements in runs, each of at least one element and at most a cost.
    fileprivate func batches(of limit: Int, cost: (Element) -> Int) -> [[Element]] {
      var batches: [[Element]] = []
      var total = 0
      for element in self {
        let next = cost(element)
        if let last = batches.indices.last, total + next <= limit {
          batches[last].append(element)
          total += next
        } else {
          batches.append([element])
          total = next
        }
      }
      return batches
    }
  }
#endif
