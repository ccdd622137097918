import Foundation
import StrataBase
import StrataInspection
public import StrataJournal
import StrataStorage

/// Writes a small store for a bug report.
public enum StoreBundle {
  /// A field whose values are replaced.
  public struct Field: Sendable, Hashable, CustomStringConvertible {
    /// The table; for a persisted value, its name.
    public let table: String
    /// The name of the field, or a path to a part of its value, as `contact.email`; for all of a persisted value, `value`.
    public let name: String

    /// Creates a field.
    ///
    /// A path goes through structs, cases of enums and dictionaries by their names. The elements of arrays have none, and
    /// the keys of a dictionary can be left out: `orders`, `lines.note` is the note of every line.
    public init(_ table: String, _ name: String) {
      self.table = table
      self.name = name
    }

    /// Reads `users.email` and `users.contact.email`; nil without a dot that has a text on both sides.
    ///
    /// Where names have dots themselves, every reading that a store has is meant.
    public init?(_ text: String) {
      guard let dot = text.dropFirst().firstIndex(of: "."), text.index(after: dot) != text.endIndex
      else { return nil }
      self.init(String(text[..<dot]), String(text[text.index(after: dot)...]))
    }

    /// `users.email`.
    public var description: String { "\(table).\(name)" }
  }

  /// What to do with the contexts of commits: users, requests, arguments.
  public enum Contexts: Sendable {
    /// The bundle has no contexts.
    case omit
    /// The bundle has the contexts as they are stored.
    case keep
  }

  /// What a bundle holds.
  public struct Report: Sendable, Equatable {
    /// The path of the bundle.
    public let path: String
    /// The revision before the first commit, whose entities are its snapshot.
    public let base: Revision
    /// The last revision.
    public let last: Revision
    /// The number of deltas.
    public let deltas: Int
    /// The number of entities in the snapshot.
    public let entities: Int
    /// How many values were replaced, counted in each version of an entity.
    public let replacedValues: Int
    /// The size of the file.
    public let bytes: Int64
  }

  /// Writes the last commits of a store into a new one, with the entities that they touch and those that these
  /// refer to, and with some fields replaced.
  ///
  /// Of a store without commits it has all entities.
  ///
  /// ```swift
  /// try await StoreBundle.write(
  ///   of: "app.strata", last: 50, redacting: [.init("users", "email")], to: "bug.strata")
  /// ```
  ///
  /// The bundle is a whole store, in a lineage of its own, with the revisions of the original: `strata` shows it,
  /// and a test opens it with `Persistence.fork`. Its bytes have nothing of other entities. They have the names
  /// of all tables and fields, and the list of migrations without their scripts.
  ///
  /// A replaced value has the kind and the length of the original; equal ones stay equal and different ones
  /// different, so a diff has the same counts. IDs, names and places of commits stay, also IDs within a replaced field.
  /// Sealed records stay sealed. A field is replaced under every name that it and its table have had, and in every field
  /// of its records into which a migration has put its values. Where the records do not show whether a migration has renamed
  /// a field or put another one in its place, both are. What it has computed from a field that stays, or copied into another
  /// table beside it, is a field of its own.
  ///
  /// References are followed from entity to entity, as far as the layouts note them. The store is not
  /// changed, and may be open. Nothing is overwritten. O(journal, and the nearest snapshot before it).
  ///
  /// - Parameters:
  ///   - store: The path of the store.
  ///   - last: How many commits, at most: fewer if the journal has fewer.
  ///   - fields: The fields whose values are replaced.
  ///   - contexts: Whether the deltas keep their contexts, which are not redacted.
  ///   - path: The path of the bundle.
  ///
  /// Throws `PersistenceError`: `.refused` for an ID, a field of IDs alone, a sealed table or a field that is not
  /// there, and if there is a file; `.notThere` for a table; and what reading the store and writing the file throw.
  @discardableResult
  public static func write(
    of store: String,
    last: Int,
    redacting fields: [Field] = [],
    contexts: Contexts = .omit,
    to path: String
  ) async throws(PersistenceError) -> Report {
    let file = try StorePath(path, for: .bundling)
    return try await FileWorker.copy(.bundling, file) {
      try writeBlocking(of: store, last: last, redacting: fields, contexts: contexts, to: path)
    }
  }

  /// The same on the calling thread.
  package static func writeBlocking(
    of store: String,
    last: Int,
    redacting fields: [Field] = [],
    contexts: Contexts = .omit,
    to path: String,
    random: any RandomNumberGenerator = SystemRandomNumberGenerator()
  ) throws(PersistenceError) -> Report {
    precondition(last > 0, "A bundle has at least one commit: pass StoreBundle.write a last > 0.")
    let inspector = try Inspector(path: store)
    let path = try StorePath(path, for: .bundling)
    return try inspector.query { view in
      let file = try NewFile(at: path, from: inspector.path, for: .bundling, on: .system)
      return try file.make {
        let fields = try RedactedFields(fields, in: view)
        let writer = BundleWriter(view, fields, contexts, random)
        let report = try writer.write(file, last: last)
        try file.verify()
        try file.giveName()
        return report(path.file, path.fileSize)
      }
    }
  }
}
