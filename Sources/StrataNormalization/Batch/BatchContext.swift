/// A database during a batch of updates: ``DatabaseType/performBatchUpdates(_:)``.
///
/// Its tables are those of the database: reads in the batch see what the batch has written.
@dynamicMemberLookup
public struct BatchContext<Database: DatabaseType> {
  /// The database before the batch.
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

  /// Ends the batch by throwing ``BatchAborted``, which rolls it back.
  @inlinable
  public func abort() throws(BatchAborted) -> Never { throw BatchAborted() }
}

/// A batch of updates was ended by ``BatchContext/abort()`` and rolled back.
public struct BatchAborted: Error, Equatable, CustomStringConvertible {
  @inlinable
  init() {}

  /// What happened.
  public var description: String { "The batch of updates was aborted; the database is unchanged." }
}

extension DatabaseType {
  /// Makes several updates as one: all of them, or none if the closure throws.
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
  /// Reads in the batch see what it has written and removed. Several batches in one commit make one
  /// change set, and rules are checked at the end of the commit, not of the batch. O(1) plus the
  /// updates. Returns the result of the closure and rethrows its error.
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
