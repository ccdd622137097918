public import StrataCore
public import StrataNormalization
import StrataStorage

/// What is done otherwise with one table of the database on its way into the file and back.
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
/// The state in memory is never touched by them. Redactions and seals run on the writer's thread, once
/// for each record that is written: they cost committers nothing, and what they cost the writer it
/// lags behind. A path that the schema does not list traps when the file is opened.
///
/// An option that a file was not written with takes effect when it is opened: records that are not as
/// the options want them are written again, in one delta of their own. What stood there before stays in
/// older deltas and snapshots until they are trimmed.
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

  /// Keeps nothing of the table: it is in no delta and in no snapshot, and starts from the initial
  /// state at each opening.
  ///
  /// A commit that changes nothing else makes no delta and is never refused. `revert` leaves the table
  /// alone, and in `state(at:)` it is empty. What a file already has of it stays there untouched, and
  /// the report notes it: to be rid of that, empty the table before it is excluded. References from
  /// tables that are kept may then lead to nothing.
  public static func excluded<Entity: EntityType>(
    _ table: StatePath<Database, EntityTable<Entity>>
  ) -> TableOption {
    TableOption(table) { $0.exclude($1) }
  }

  /// Changes each entity on its way into the file, so that what it leaves out is nowhere in it.
  ///
  /// What is restored is what the file has, the redacted entity. The redaction runs on what is read
  /// too, so applying it twice must be the same as applying it once; and it must leave the ID alone, or
  /// the entity is not persisted. Two states that differ in the redacted fields alone make a delta with
  /// the same record. Several redactions of a table run in the order of the list.
  public static func redacted<Entity: EntityType>(
    _ table: StatePath<Database, EntityTable<Entity>>,
    _ redaction: @escaping @Sendable (inout Entity) -> Void
  ) -> TableOption {
    TableOption(table) { policy, name in
      policy.treat(name) { (transform: inout TableTransform<Entity>) in
        transform.redactions.append(redaction)
      }
    }
  }

  /// Seals each record of the table, after any redaction.
  ///
  /// Clear in the file stay the IDs, the names and kinds of the fields, how many records there are,
  /// about how long they are and when each was changed. An entity that cannot be sealed is not
  /// persisted, and named as such; it is never written in clear.
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
      policy.treat(name) { (transform: inout TableTransform<Entity>) in
        if transform.seal != nil {
          fatalError("The table \(name) is to be sealed in two ways. Give it one of them.")
        }
        transform.seal = seal
      }
    }
  }
}

extension TableOption {
  /// Notes what is to be done; traps where that cannot be meant.
  func apply(to policy: inout StoragePolicy) {
    let tables = Database.schema.tables.filter { $0.keyPath == table }
    if tables.isEmpty {
      fatalError(
        """
        There is an option for \(table), which the schema of \(Database.self) does not list. What is \
        not listed is not kept at all: take the option out, or list the table.
        """
      )
    }
    for table in tables { change(&policy, table.name) }
  }
}

extension SchemaTable {
  fileprivate var keyPath: AnyKeyPath { path }
}
