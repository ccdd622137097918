public import Foundation
public import StrataCore
public import StrataJournal
public import StrataNormalization

/// A delta of the journal as this build's types: what one commit changed in the database, when, and
/// where in the source.
///
/// Tables this build does not know are left out, so a delta may have no changes.
public struct Delta: Sendable, Equatable {
  /// The revisions it covers: one, except where commits were merged while the disk failed.
  public let revisions: ClosedRange<Revision>
  /// When it was committed; for merged commits, the time of the last one.
  ///
  /// Never before the time of the previous delta, whatever the clock did.
  public let time: Date
  /// The name given to `commit("name") { … }`; empty if there was none.
  public let name: String
  /// Where in the source the commit was made.
  public let place: String
  /// Who wanted its commits and why, by their revisions: one at most, except where commits were merged.
  ///
  /// Of merged commits the first hundred that have a context keep theirs.
  public let contexts: [Revision: CommitContext]
  /// The changes to the database.
  public let changes: ChangeSet
  /// The changes to persisted values that this build lists.
  package let valueChanges: ChangeSet
  /// Entities it changed in memory only, as their `encode(to:)` threw.
  public let notPersisted: [NotPersisted]

  /// The number of the delta: the last revision it covers.
  public var revision: Revision { revisions.upperBound }

  /// Who wanted the commit and why; of merged commits, the context of the last one.
  public var context: CommitContext? { contexts[revision] }

  /// The sorted names of the persisted values it changed, of those that this build lists.
  public var values: [String] {
    valueChanges.tables.compactMap { StoredValues.name(ofTable: $0.table.text) }
  }

  /// The new value of a persisted value; nil if the delta did not change it, or if its type in the
  /// state is another one.
  public func value<Value: Codable & Equatable & Sendable>(
    _ name: String,
    as type: Value.Type = Value.self
  ) -> Value? {
    let table = StoredValues.tableName(of: name)
    for change in valueChanges.changes(of: StoredValue<Value>.self, in: table) {
      if case .put(let stored) = change { return stored.value }
    }
    return nil
  }
}
