package import Foundation
import StrataBase
package import StrataJournal
package import StrataNormalization
import StrataRecords
package import StrataStorage

/// Decodes stored entities as the tables of a database and the persisted values beside it: the
/// entities of a snapshot merged with deltas, or those of one delta.
package struct DatabaseDecoder<Database: DatabaseType> {
  private let failures: DecodingFailures
  private let restore: RestorePolicy
  private let tables: TableDecoders<Database>
  private let decoders: [String: any TableDecoding]

  /// The tables this build stores, including those of values.
  let names: Set<String>
  /// How many entities were decoded, not counting values.
  private(set) var count = 0
  /// The records that were left out.
  private(set) var loss: RestoreLoss?

  /// - Parameters:
  ///   - known: the tables in the file; other tables keep their initial contents. Nil decodes all
  ///     tables.
  ///   - store: the identity of the store in the file.
  ///   - path: the file, named in errors.
  ///   - restore: whether a record that cannot be decoded ends the decoding.
  ///   - unknownFields: whether fields that this build does not know are collected.
  package init(
    known: Set<String>?,
    of store: UUID,
    _ policy: StoragePolicy,
    as operation: PersistenceError.Operation,
    at path: StorePath,
    restore: RestorePolicy = .strict,
    unknownFields: UnknownFieldsPolicy = .ignored
  ) throws {
    failures = DecodingFailures(operation: operation, path: path)
    self.restore = restore
    tables = TableDecoders(
      tables: Database.schema.tables(in: policy),
      known: known,
      store: store,
      policy: policy,
      unknownFields: unknownFields
    )
    names = Set(tables.tables.map(\.name.text)).union(policy.values.tableNames)
    decoders = try tables.make()
  }

  /// Decodes the rest of a source, on several threads.
  ///
  /// Skips entities of tables this build does not know, and under `.bestEffort` those it cannot
  /// decode. The result, the progress that is reported and the error that is thrown are the same
  /// however many threads there are: damage comes first, then the first record in the merge that
  /// cannot be decoded. When this throws, everything that was read from the merge is verified.
  mutating func decode(
    _ source: any EntitySource,
    _ catalog: LayoutCatalog,
    _ meter: ProgressMeter? = nil
  ) throws {
    var meter = meter
    var done = 0
    var failure: (any Error)?
    var readFailure: (any Error)?
    let hasFailed = Lock(Failure())
    meter?.begin(.loading, total: source.expectedCount)
    try ParallelMap.run(
      next: { () throws -> MergePart? in
        guard failure == nil, readFailure == nil else { return nil }
        do {
          return try source.nextPart()
        } catch {
          // The parts before it may be damaged too, and are reported first.
          readFailure = error
          return nil
        }
      },
      makeWorker: { [tables, failures, restore] in
        let decoder = PartDecoder(tables, catalog, failures, restore)
        return { part in
          // A part that is started after one has failed is behind it.
          let isWanted = hasFailed.withLock { !$0.isNoted }
          let decoded = decoder.decode(part, isWanted ? .all : .verification)
          if decoded.failure != nil { hasFailed.withLock { $0.isNoted = true } }
          return decoded
        }
      },
      receive: { (part: DecodedPart) in
        if let error = part.failure {
          if error is CorruptionError { throw error }
          failure = failure ?? error
        }
        if failure != nil { return }
        for (table, decoded) in part.tables { decoders[table]?.add(decoded) }
        count += part.count
        for record in part.skipped { note(record) }
        done += part.read
        meter?.note(done: done)
      }
    )
    if let error = readFailure ?? failure { throw error }
    meter?.end()
  }

  private struct Failure {
    var isNoted = false
  }

  private mutating func note(_ skipped: RestoreLoss.Undecodable) {
    loss = loss ?? RestoreLoss()
    loss?.add(skipped)
  }

  /// The decoded tables in `initial`, which provides everything else; they are moved out of the decoder.
  func database(over initial: Database) -> Database {
    var database = initial
    for table in tables.tables {
      if let decoder = decoders[table.name.text] { table.assign(decoder, to: &database) }
    }
    return database
  }

  /// The decoded persisted values.
  var values: ChangeSet { changes { StoredValues.name(ofTable: $0) != nil } }

  /// Entities that are not stored as the options of their table require.
  var rewrites: ChangeSet { ChangeSet(sorting: decoders.values.compactMap(\.rewrites)) }

  /// The fields that this build does not know, of what was decoded last.
  package var carried: CarriedFields {
    var carried = CarriedFields()
    for decoder in decoders.values { decoder.addUnknownFields(to: &carried) }
    return carried
  }

  /// What looks like renamed fields, by the names of their tables.
  var possibleRenames: [String: Set<PossibleRename>] {
    decoders.filter { StoredValues.name(ofTable: $0.key) == nil }.mapValues(\.possibleRenames)
  }

  /// The fields whose types refer to other entities, by the names of their tables.
  var references: [String: Set<Layout.Field>] {
    decoders.mapValues(\.references).filter { !$0.value.isEmpty }
  }

  private func changes(ofTables isWanted: (String) -> Bool) -> ChangeSet {
    ChangeSet(sorting: decoders.filter { isWanted($0.key) }.values.compactMap(\.changes))
  }
}

extension DatabaseDecoder {
  /// Decodes one delta; leaves out entities of tables this build does not know.
  ///
  /// O(entities of the delta).
  package func decode(
    _ header: DeltaHeader,
    _ blocks: [ChangeBlock],
    _ catalog: LayoutCatalog
  ) throws -> Delta {
    for decoder in decoders.values { _ = decoder.take() }
    var notPersisted: [NotPersisted] = []
    for block in blocks {
      for entry in block.entries {
        let table = block.table(of: entry)
        guard let decoder = decoders[table] else { continue }
        let id = block.id(of: entry)
        do {
          switch entry.change {
          case .put(let layout, let record):
            try decoder.put(block.bytes[record], of: id, layout, catalog)
          case .remove: try decoder.remove(id)
          case .notPersisted:
            notPersisted.append(
              NotPersisted(table: table, id: EncodedID.text(of: id), reason: "encode(to:) threw")
            )
          }
        } catch {
          throw failures.error(error, table, id)
        }
      }
    }
    return Delta(
      revisions: header.first...header.revision,
      time: Date(microseconds: header.time),
      name: header.name,
      place: header.place,
      contexts: try header.commitContexts(),
      changes: changes { StoredValues.name(ofTable: $0) == nil },
      valueChanges: values,
      notPersisted: notPersisted
    )
  }
}
