import StrataNormalization
import StrataSQLite

/// Takes the entities of a fold that is being proved.
///
/// Nothing is known to be true yet: what was taken is forgotten when a further fold is begun.
protocol EntityCollecting: AnyObject {
  /// Takes the entities of a fold, and no more from where one cannot be taken.
  ///
  /// - Throws: only what is wrong with the fold.
  func collect(
    _ fold: inout Fold,
    _ connection: Connection,
    _ catalog: LayoutCatalog,
    _ meter: inout ProgressMeter?
  ) throws
}

/// Makes a database's tables of a fold, and the values beside it.
final class DatabaseCollector<Database: DatabaseType>: EntityCollecting {
  private let path: StorePath
  private let policy: RestorePolicy
  let keeping: Keeping
  private var result: Result<(loaders: TableLoaders<Database>, known: Set<String>), any Error>?

  /// - Parameter path: of the file, which an error names.
  init(_ path: StorePath, _ keeping: Keeping, _ policy: RestorePolicy = .strict) {
    self.path = path
    self.keeping = keeping
    self.policy = policy
  }

  func collect(
    _ fold: inout Fold,
    _ connection: Connection,
    _ catalog: LayoutCatalog,
    _ meter: inout ProgressMeter?
  ) throws {
    result = nil
    var (loaders, known): (TableLoaders<Database>, Set<String>)
    do {
      known = Set(try StoreIdentity.tables(of: connection))
      let store = try StoreIdentity.read(connection).id
      loaders = try TableLoaders(for: Database.schema, in: known, of: store, as: .opening, keeping)
    } catch {
      result = .failure(error)
      return
    }
    var done = 0
    meter?.begin(.loading, total: fold.expectedCount)
    loaders.policy = policy
    // A table that is not listed would be taken for a new one and start from the initial state.
    if let table = catalog.tables.subtracting(known).min() {
      throw DamageFound("it does not list its table \(table)")
    }
    while let run = try fold.nextRun() {
      done += run.entries.count
      meter?.note(done: done)
      do {
        try loaders.load(run, catalog, path)
      } catch {
        result = .failure(error)
        return
      }
    }
    meter?.end()
    result = .success((loaders, known))
  }

  /// What was taken from the last fold, and the tables its file has had.
  ///
  /// - Throws: why an entity could not be taken.
  func finish() throws -> (loaders: TableLoaders<Database>, known: Set<String>) {
    guard let result else { throw DamageFound("it has no snapshot") }
    return try result.get()
  }
}
