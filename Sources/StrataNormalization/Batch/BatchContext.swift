/// A database while a batch of updates is made to it: ``DatabaseType/performBatchUpdates(_:)``.
///
/// Its tables are those of the database: what was written in the batch is read in it.
@dynamicMemberLookup
public struct BatchContext<Database: DatabaseType> {
  /// The database as it was when the batch began.
  public let previous: Database
  @usableFromInline var database: Database

  @inlinable
  init(_ database: Database) {
    previous = database
    self.database = database
  }

  /// A table of the database.
  @inlinable
  public subscript<Part>(dynamicMember path: WritableKeyPath<Database, Part>) -> Part {
    _read { yield database[keyPath: path] }
    _modify { yield &database[keyPath: path] }
  }

  /// Ends the batch by throwing ``BatchAborted``: nothing of it has happened.
  @inlinable
  public func abort() throws(BatchAborted) -> Never { throw BatchAborted() }
}

/// A batch of updates was ended by ``BatchContext/abort()``: nothing of it has happened.
public struct BatchAborted: Error, Equatable, CustomStringConvertible {
  @inlinable
  init() {}

  /// What happened.
  public var description: String { "The batch of updates was aborted; the database is as it was." }
}

extension DatabaseType {
  /// Makes several updates as one: all of them, or none when the closure throws.
  ///
  /// ```swift
  /// try store.commit { state in
  ///   try state.db.performBatchUpdates { context in
  ///     context.users.insert(ada)
  ///     guard context.posts[Post.byAuthor]["ada"].isEmpty else { try context.abort() }
  ///   }
  /// }
  /// ```
  ///
  /// What was written and removed in the batch is seen by reads in it. Several batches in one commit
  /// are one change set, and rules are judged at the end of the commit, not of the batch. O(1) beside
  /// the updates. Gives what the closure gives and throws what it throws.
  @inlinable
  @discardableResult
  public mutating func performBatchUpdates<R, E: Error>(
    _ updates: (inout BatchContext<Self>) throws(E) -> R
  ) throws(E) -> R {
    var context = BatchContext(self)
    let result = try updates(&context)
    self = context.database
    return result
  }
}
