/// The kinds of a store's files; `own` are the store's files that are not SQLite's.
package enum FileKind: Hashable, Sendable, CaseIterable {
  case database, wal, journal, other, own
}
