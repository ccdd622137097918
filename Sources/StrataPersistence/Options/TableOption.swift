public import StrataCore
public import StrataJournal
public import StrataNormalization

/// How one table of the database is stored, other than whole and in clear.
///
/// ```swift
/// let persistence = try await Persistence.open(
///   at: "app.strata", initialState: AppState(), database: \.db,
///   tables: [
///     .excluded(\.drafts),
///     .redacted(\.users) { $0.password = "" },
///     .sealed(\.letters, with: Vault(key: key)),
///   ])
/// ```
///
/// Options never change the state in memory. Redactions and sealings run on the writer's thread,
/// once for each record that is written: they cost committers nothing, but a slow one makes the
/// writer lag behind. Opening the file traps for a path that the schema does not list.
///
/// An option that is new to a file takes effect when the file is opened: records that are not
/// stored as the options require are written again, in a separate delta. The earlier records stay
/// in older deltas and snapshots until those are trimmed.
public struct TableOption<Database: DatabaseType>: Sendable {
  private let table: any AnyKeyPath & Sendable
  private let change: @Sendable (inout StoragePolicy, TableName) -> Void

  private init(
    _ table: any AnyKeyPath & Sendable,
    _ change: @escaping @Sendable (inout StoragePolicy, TableName) -> Void
  ) {
    self.table = table
    self.change = change
  }

  /// Stores nothing of the table: it is in no delta and in no snapshot, and starts from the initial
  /// state at each opening.
  ///
  /// A commit that changes nothing else makes no delta and is never refused. `revert` does not
  /// change the table, and in `state(at:)` it is empty. What a file already has of it stays there
  /// untouched, and the report notes it: to get rid of that, empty the table before excluding it.
  /// References from stored tables may then lead to nothing.
  public static func excluded<Entity: EntityType>(
    _ table: StatePath<Database, EntityTable<Entity>>
  ) -> TableOption {
    TableOption(table) { $0.exclude($1) }
  }

  /// Changes each entity on its way into the file, so that the file never contains what it removes.
  ///
  /// Restoring returns the redacted entity. The redaction also runs on what is read, so applying it
  /// twice must be the same as applying it once. It must not change the ID, or the entity is not
  /// persisted. A commit that changes only redacted fields makes a delta with the same record.
  /// Several redactions of a table run in the order of the list.
  public static func redacted<Entity: EntityType>(
    _ table: StatePath<Database, EntityTable<Entity>>,
    _ redaction: @escaping @Sendable (inout Entity) -> Void
  ) -> TableOption {
    TableOption(table) { policy, name in
      policy.updateTransform(of: name) { (transform: inout TableTransform<Entity>) in
        transform.redactions.append(redaction)
      }
    }
  }

  /// Seals each record of the table, after any redaction.
  ///
  /// The file still shows the IDs, the names and kinds of the fields, how many records there are,
  /// about how long they are and when each was changed. An entity that cannot be sealed is not
  /// persisted and is named as such; it is never written in clear.
  public static func sealed<Entity: EntityType>(
    _ table: StatePath<Database, EntityTable<Entity>>,
    with sealing: any RecordSealing
  ) -> TableOption {
    seal(table, .sealing(sealing))
  }

  /// Opens records that were sealed, and writes them in clear from now on: the way back from
  /// ``sealed(_:with:)``.
  public static func unsealed<Entity: EntityType>(
    _ table: StatePath<Database, EntityTable<Entity>>,
    with sealing: any RecordSealing
  ) -> TableOption {
    seal(table, .opening(sealing))
  }

  private static func seal<Entity: EntityType>(
    _ table: StatePath<Database, EntityTable<Entity>>,
    _ seal: RecordSeal
  ) -> TableOption {
    TableOption(table) { policy, name in
      policy.updateTransform(of: name) { (transform: inout TableTransform<Entity>) in
        if transform.seal != nil {
          fatalError("The table \(name) is sealed in two ways. Give it one of these options.")
        }
        transform.seal = seal
      }
    }
  }
}

extension TableOption {
  /// Adds the option to a policy; traps if the schema does not list the table.
  func apply(to policy: inout StoragePolicy) {
    let tables = Database.schema.tables.filter { $0.keyPath == table }
    if tables.isEmpty {
      fatalError(
        """
        There is an option for \(table), which the schema of \(Database.self) does not list. A \
        table that is not listed is not stored at all: remove the option, or list the table.
        """
      )
    }
    for table in tables { change(&policy, table.name) }
  }
}

extension SchemaTable {
  fileprivate var keyPath: AnyKeyPath { path }
}
