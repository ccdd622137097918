import Foundation
import StrataBase
import StrataNormalization
import StrataRecords
import StrataStorage

/// Decodes stored entities as the tables of a database and the persisted values beside it: the
/// entities of a snapshot merged with deltas, or those of one delta.
struct DatabaseDecoder<Database: DatabaseType> {
  private let operation: PersistenceError.Operation
  private let path: StorePath
  private let restore: RestorePolicy
  private let tables: [any SchemaTable<Database>]
  private var decoders: [String: any TableDecoding] = [:]

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
  init(
    known: Set<String>?,
    of store: UUID,
    _ policy: StoragePolicy,
    as operation: PersistenceError.Operation,
    at path: StorePath,
    restore: RestorePolicy = .strict,
    unknownFields: UnknownFieldsPolicy = .ignored
  ) throws {
    self.operation = operation
    self.path = path
    self.restore = restore
    tables = Database.schema.tables(in: policy)
    names = Set(tables.map(\.name.text)).union(policy.values.tableNames)
    for value in policy.values.tables {
      decoders[value.table.text] = value.makeDecoder(of: store, policy, unknownFields)
    }
    for table in tables where known?.contains(table.name.text) ?? true {
      decoders[table.name.text] = try table.makeDecoder(of: store, policy, unknownFields)
    }
  }

  /// Decodes the rest of a merge.
  ///
  /// Skips entities of tables this build does not know, and under `.bestEffort` those it cannot
  /// decode.
  mutating func decode(
    _ merge: inout MergeIterator,
    _ catalog: LayoutCatalog,
    _ meter: ProgressMeter? = nil
  ) throws {
    var meter = meter
    var done = 0
    meter?.begin(.loading, total: merge.expectedCount)
    while let run = try merge.nextSlice() {
      done += run.entries.count
      meter?.note(done: done)
      try decode(run, catalog)
    }
    meter?.end()
  }

  private mutating func decode(_ run: EntitySlice, _ catalog: LayoutCatalog) throws {
    guard let first = run.entries.first else { return }
    let block = run.block
    let table = block.table(of: block.entries[first])
    guard let decoder = decoders[table] else { return }
    let isValue = StoredValues.name(ofTable: table) != nil
    for index in run.entries {
      let entry = block.entries[index]
      guard case .put(let layout, let record) = entry.change else { continue }
      do {
        try decoder.put(block.bytes[record], of: block.id(of: entry), layout, catalog)
        if !isValue { count += 1 }
      } catch {
        try skip(table, block.id(of: entry), after: error)
      }
    }
  }

  /// Leaves a record out and notes that, if the policy allows it.
  private mutating func skip(
    _ table: String,
    _ id: ArraySlice<UInt8>,
    after error: any Error
  ) throws {
    let failure = self.error(error, table, id)
    switch (failure as? PersistenceError)?.reason {
    case .undecodable(_, let id, let detail)? where restore == .bestEffort,
      .unopenable(_, let id, let detail)? where restore == .bestEffort:
      loss = loss ?? RestoreLoss()
      loss?.add(.init(table: table, id: id, detail: detail))
    default: throw failure
    }
  }

  /// The error to throw for a record that could not be decoded; damage stays damage.
  private func error(
    _ error: any Error,
    _ table: String,
    _ id: ArraySlice<UInt8>
  ) -> any Error {
    if error is CorruptionError { return error }
    let reason = PersistenceError.Reason(
      reading: error,
      table: table,
      id: EncodedID.text(of: id)
    )
    return PersistenceError(operation, path: path.file, reason)
  }

  /// The decoded tables in `initial`, which provides everything else.
  func database(over initial: Database) -> Database {
    var database = initial
    for table in tables {
      if let decoder = decoders[table.name.text] { table.assign(decoder, to: &database) }
    }
    return database
  }

  /// The decoded persisted values.
  var values: ChangeSet { changes { StoredValues.name(ofTable: $0) != nil } }

  /// Entities that are not stored as the options of their table require.
  var rewrites: ChangeSet { ChangeSet(sorting: decoders.values.compactMap(\.rewrites)) }

  /// The fields that this build does not know.
  var carried: CarriedFields {
    var carried = CarriedFields()
    for decoder in decoders.values { decoder.addUnknownFields(to: &carried) }
    return carried
  }

  private func changes(ofTables isWanted: (String) -> Bool) -> ChangeSet {
    ChangeSet(sorting: decoders.filter { isWanted($0.key) }.values.compactMap(\.changes))
  }
}

extension DatabaseDecoder {
  /// Decodes one delta; leaves out entities of tables this build does not know.
  ///
  /// O(entities of the delta).
  func decode(
    _ header: DeltaHeader,
    _ blocks: [ChangeBlock],
    _ catalog: LayoutCatalog
  ) throws -> Delta {
    for decoder in decoders.values { decoder.reset() }
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
          throw self.error(error, table, id)
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

extension ChangeSet {
  /// The changes of these tables, none of them empty.
  fileprivate init(sorting tables: [any AnyTableChanges]) {
    self.init(tables: tables.sorted { $0.table < $1.table })
  }
}
