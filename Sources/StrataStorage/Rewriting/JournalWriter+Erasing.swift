package import StrataJournal

extension JournalWriter {
  /// Erases entities that are not in the database any more.
  package func erase(
    _ entities: ErasedEntities,
    _ references: ReferencePolicy
  ) throws(PersistenceError) -> ErasureReport {
    try flush(through: queue.lastRevision)
    _ = try requireSession(for: .erasing)
    do {
      let store = try ClosedStore(path.file, for: .erasing, configuration)
      return try replaceFile { didReplace in
        try StoreErasure(
          store: store,
          entities: entities,
          presence: .refuse,
          references: references
        ).run(didReplace)
      }
    } catch {
      throw PersistenceError(.erasing, path: path.file, wrapping: error)
    }
  }
}
