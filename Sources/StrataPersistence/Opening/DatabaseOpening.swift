import StrataBase
package import StrataJournal
package import StrataNormalization
import StrataRecords
import StrataSchema
package import StrataStorage

/// The typed side of opening a file: what a new file starts with, how its entities are decoded, and
/// what an older file lacks.
package struct DatabaseOpening<Database: DatabaseType>: Sendable {
  /// The contents of a file, and what was found.
  package typealias Opened = (contents: Contents, report: RestoreReport)

  /// The contents of a file, as this build's types.
  package struct Contents: Sendable {
    package let database: Database
    let values: ChangeSet
    /// Entities that are not stored as the options of their table require.
    let rewrites: ChangeSet
    /// The fields of entities that this build does not know.
    let carried: CarriedFields
    /// What looks like renamed fields, by the names of their tables.
    let possibleRenames: [String: Set<PossibleRename>]
    /// The fields whose types refer to other entities, by the names of their tables.
    let references: [String: Set<Layout.Field>]
    let entities: Int
    /// The tables this build stores, including those of values.
    let names: Set<String>
    let loss: RestoreLoss?
    /// How many records the tables have that this build does not know, if it has tables that the file lacks.
    let unknown: [String: Int]
    /// What this build lacks of the migrations that ran on the file.
    let older: OlderBuild?
    /// The number after that of the last migration that ran on the file.
    let nextMigration: Int
  }

  let initial: Database
  let policy: StoragePolicy
  /// What has changed the file before it is read.
  var preparation: (any FilePreparation)?

  /// Opens the file of a writer and restores what it holds.
  ///
  /// - Parameters:
  ///   - restoresParts: whether a damaged file may be restored without some of its entities.
  ///   - layouts: receives the layouts of the file.
  package func open(
    _ writer: isolated JournalWriter,
    restoresParts: Bool = true,
    layouts: (LayoutCatalog) -> Void = { _ in }
  ) throws(PersistenceError) -> Opened {
    let (path, configuration) = (writer.path, writer.configuration)
    var known: Set<String> = []
    let opened = try writer.open(
      restoresParts: restoresParts,
      creating: { try fill(&$0) },
      reading: {
        layouts($1.catalog)
        return try read($0, $1, at: path, configuration)
      },
      adding: { contents, tables, isNew in
        known = isNew ? contents.names : tables
        try check(contents.database, configuration.brokenRules)
        let additions = additions(contents, known)
        if configuration.unknownTables == .refuse { try checkTables(contents, additions) }
        return additions.added
      }
    )
    return (opened.contents, report(on: opened, known, configuration.restore))
  }

  /// Writes the initial database and values into the first snapshot, in the order of the table
  /// names.
  private func fill(_ snapshot: inout InitialSnapshot) throws {
    try check(initial, .refuse)
    let tables = Database.schema.tables(in: policy).map { table in
      (table.name, { try table.add(initial, to: &$0, policy) } as Fill)
    }
    let values = policy.values.tables.map { value in
      (value.table, { try value.add(to: &$0, policy) } as Fill)
    }
    for (_, fill) in (tables + values).inOrder(by: { $0.0 < $1.0 }) { try fill(&snapshot) }
  }

  private typealias Fill = (inout InitialSnapshot) throws -> Void

  private func read(
    _ source: any EntitySource,
    _ view: ReadView,
    at path: StorePath,
    _ configuration: PersistenceConfiguration
  ) throws -> Contents {
    var decoder = try DatabaseDecoder<Database>(
      known: view.tables,
      of: view.identity.id,
      policy,
      as: .opening,
      at: path,
      restore: configuration.restore,
      unknownFields: .collected
    )
    let migrations = preparation?.known ?? .through(0)
    if configuration.unknownTables == .refuse {
      try view.checkTablesAreThere(
        decoder.names,
        knowing: migrations,
        at: path,
        on: configuration.disk
      )
    }
    let older = try view.olderBuild(knowing: migrations, at: path, on: configuration.disk)
    let unknown = try unknownRecords(source, view.tables, decoder.names)
    do {
      try decoder.decode(source, view.catalog, ProgressMeter(configuration.progress))
    } catch let error as PersistenceError {
      throw error.naming(older)
    }
    return Contents(
      database: decoder.database(over: initial),
      values: decoder.values,
      rewrites: decoder.rewrites,
      carried: decoder.carried,
      possibleRenames: decoder.possibleRenames,
      references: decoder.references,
      entities: decoder.count,
      names: decoder.names,
      loss: decoder.loss,
      unknown: unknown,
      older: older,
      nextMigration: try (DataLedger.entries(on: view.journal.connection).last?.number ?? 0) + 1
    )
  }

  /// How many records the tables have that this build does not know; none if it has no table that the file lacks.
  private func unknownRecords(
    _ source: any EntitySource,
    _ known: Set<String>,
    _ names: Set<String>
  ) throws -> [String: Int] {
    let new = names.subtracting(known).splitIntoTablesAndValues().tables
    let unknown = known.subtracting(names).subtracting(policy.excluded.map(\.text))
      .splitIntoTablesAndValues().tables
    if new.isEmpty || unknown.isEmpty { return [:] }
    let counts = try source.counts()
    return Dictionary(uniqueKeysWithValues: unknown.map { ($0, counts[$0] ?? 0) })
      .filter { $0.value > 0 }
  }

  /// Refuses to start a table empty while the file has records of tables that this build does not know.
  private func checkTables(
    _ contents: Contents,
    _ additions: (added: OpeningAdditions, empty: [String])
  ) throws(PersistenceError.Reason) {
    guard !contents.unknown.isEmpty, !additions.empty.isEmpty else { return }
    let gone = PersistenceError.Reason.tablesGone(
      contents.unknown,
      new: additions.empty,
      number: contents.nextMigration
    )
    guard let older = contents.older else { throw gone }
    throw .feature(older.failing(gone.sentence))
  }

  /// Refuses data that breaks a rule of the schema, unless the policy allows it.
  private func check(
    _ database: Database,
    _ policy: BrokenRulePolicy
  ) throws(PersistenceError.Reason) {
    guard policy == .refuse else { return }
    let violations = stored(database).brokenRules()
    if violations.isEmpty { return }
    let most = 20
    let sentences = violations.prefix(most).map(\.sentence)
    let more = violations.count > most ? ["and \(violations.count - most) more"] : []
    throw .ruleBroken((sentences + more).joined(separator: "; "))
  }

  /// A database as it is stored: a redaction may break a rule, and the next opening would refuse what it reads.
  private func stored(_ database: Database) -> Database {
    guard policy.hasTransforms else { return database }
    var stored = database
    for table in Database.schema.tables { table.redact(&stored, policy) }
    return stored
  }

  /// Tables and values that are new to the file, with their initial contents; and the records that
  /// are not stored as the options of their table require.
  ///
  /// Of the new tables also those that are empty.
  private func additions(
    _ contents: Contents,
    _ known: Set<String>
  ) -> (added: OpeningAdditions, empty: [String]) {
    let new = contents.names.subtracting(known)
    let (tables, values) = new.splitIntoTablesAndValues()
    var added = ChangeSet(tables: policy.values.filter { new.contains($0.text) }.tables)
    if !tables.isEmpty {
      let all = ChangeSet(from: Database(), to: contents.database)
      added = all.filter { new.contains($0.text) }.joined(by: added.tables)
    }
    let name = [("new tables", tables), ("new values", values)]
      .filter { !$0.1.isEmpty }
      .map { "\($0.0): \($0.1.joined(separator: ", "))" }
      .joined(separator: "; ")
    let deltas = [(name, added), ("rewritten for table options", contents.rewrites)]
    let additions = OpeningAdditions(
      newTables: new.inOrder(),
      deltas: deltas.filter { !$0.1.isEmpty }.map { name, changes in
        let fields = contents.carried.fields(of: changes)
        return (name, DatabaseChanges(changes: changes, fields: fields, policy: policy))
      },
      references: contents.references,
      rules: Database.schema.namesOfRules.filter { contents.names.contains($0.key) }
    )
    let filled = Set(added.tables.filter { $0.count > 0 }.map(\.table.text))
    return (additions, tables.filter { !filled.contains($0) })
  }

  private func report(
    on opened: OpenedStore<Contents>,
    _ known: Set<String>,
    _ restore: RestorePolicy
  ) -> RestoreReport {
    let contents = opened.contents
    let excluded = Set(policy.excluded.map(\.text))
    let unknown = known.subtracting(contents.names).subtracting(excluded)
      .splitIntoTablesAndValues()
    let new = contents.names.subtracting(known).splitIntoTablesAndValues()
    var report = RestoreReport(
      outcome: opened.isNew ? .fresh : .restored,
      position: opened.position,
      snapshotRevision: opened.snapshot,
      replayedDeltas: opened.replayedDeltas,
      entities: contents.entities,
      unknownTables: unknown.tables,
      newTables: new.tables,
      unknownValues: unknown.values,
      newValues: new.values,
      notes: opened.notes,
      loss: contents.loss
    )
    if let loss = opened.loss {
      report.loss = report.loss ?? RestoreLoss()
      report.loss?.damage = loss.damage
      report.loss?.revisions = loss.revisions
      report.loss?.quarantine = loss.quarantine
      report.loss?.missing = loss.missing
    }
    if report.loss != nil { report.outcome = .restoredWithLoss }
    if let prepared = opened.prepared { report.parts.add(prepared.report) }
    report.danglingReferences = contents.database.danglingReferences()
    report.brokenRules = contents.database.brokenRules()
    report.notes += report.danglingReferences.map { "\($0)" } + report.brokenRules.map(\.sentence)
    report.newerMigrations = contents.older?.lacks ?? []
    if let older = contents.older {
      report.notes.append(older.note)
    } else {
      report.notes += contents.possibleRenames.inOrder { $0.key < $1.key }
        .compactMap { PossibleRename.note($0.value, of: $0.key) }
    }
    for table in known.intersection(excluded).inOrder() {
      report.notes.append(
        "the table \(table) is excluded; its records in the file stay as they are"
      )
    }
    // An opening for reading has written nothing.
    for changes in contents.rewrites.tables where restore != .readOnly {
      report.notes.append(
        """
        \(StoredValues.title(ofTable: changes.table.text)): \(changes.count) records were not \
        stored as its options require and were written again; older deltas and snapshots have \
        them as they were
        """
      )
    }
    return report
  }
}

extension PersistenceError {
  /// The error for a record that this build cannot decode, where it lacks migrations.
  fileprivate func naming(_ older: OlderBuild?) -> PersistenceError {
    guard case .undecodable = reason, let older else { return self }
    return PersistenceError(operation, path: path, .feature(older.failing(reason.sentence)))
  }
}

extension SchemaTable {
  /// Makes the entities of the table what they are in the file; one that cannot be redacted is not stored.
  fileprivate func redact(_ database: inout Database, _ policy: StoragePolicy) {
    let transform: TableTransform<Entity>? = policy.transform(of: name.text)
    guard let transform, !transform.redactions.isEmpty else { return }
    database[keyPath: path] = makeTable(
      database[keyPath: path].compactMap { entity in
        do { return try transform.redacted(entity) } catch { return nil }
      }
    )
  }
}
