public import Foundation
import StrataBase
public import StrataCore
import StrataInspection
public import StrataJournal
public import StrataNormalization
public import StrataPersistence
import StrataRecords

extension Persistence {
  /// Which commits gave the fields of an entity the values they have: when, by which name, from which place
  /// in the source, and who wanted it.
  ///
  /// ```swift
  /// for field in try await persistence.blame(of: User.ID("ada")) {
  ///   print(field.field, field.value, field.commit?.name ?? "", field.commit?.place ?? "")
  /// }
  /// ```
  ///
  /// The fields are those of the stored record, without its ID, in their stored order. A field that an
  /// older commit gave the same value is not set by the newer one. A field that the entity no longer has, such
  /// as an optional that is nil, is not listed: `history(of:in:)` has the commit that removed it. Empty for an
  /// entity that is not there.
  /// Name the table if several tables have the type. O(journal).
  ///
  /// Throws `PersistenceError` of the kind `.notThere` for a table that is not in the schema, or
  /// an error of reading the file.
  public func blame<Entity: EntityType>(
    of id: EntityID<Entity>,
    in table: TableName? = nil
  ) async throws(PersistenceError) -> [FieldBlame] {
    let name = try tableName(of: Entity.self, or: table)
    try await writePending(for: nil)
    return try await reader.read { view in
      try view.blame(name.text, try EncodedID.bytes(of: id.raw))
    }
  }
}

extension ReadView {
  /// The fields of an entity at the last revision, each with the commit that gave it its value.
  fileprivate func blame(_ table: String, _ id: [UInt8]) throws -> [FieldBlame] {
    let filter = EntityFilter.ids([id])
    let scope = ReadScope.entities([EntityKey(table: table, id: id[...])])
    var scan = try state(at: last.revision, scope: scope).scan(table, filter)
    guard let entity = try scan.next() else { return [] }
    let versions = try EntityVersions(
      of: table,
      filter,
      from: try state(at: oldest, scope: scope),
      through: last.revision,
      in: self
    )
    var former = FormerRecords(in: self, .entity)
    return try former.origins(of: entity, versions)
      .filter { $0.name != "id" || EncodedID.bytes(of: $0.value) != id }
      .map { try FieldBlame($0) }
  }
}

/// The commit that gave a field of an entity the value it has.
public struct FieldBlame: Sendable, Equatable {
  /// A commit, as its delta states it.
  public struct Commit: Sendable, Equatable {
    /// The revisions of its delta: one, except where commits were merged.
    public let revisions: ClosedRange<Revision>
    /// When it was committed.
    public let time: Date
    /// The name given to `commit("name") { … }`; empty if there was none.
    public let name: String
    /// Where in the source the commit was made.
    public let place: String
    /// Who wanted it and why; nil if that is not known.
    ///
    /// Of merged commits, it is the context of the last one.
    public let context: CommitContext?
  }

  /// The name of the field, as it is stored.
  public let field: String
  /// Its value as JSON.
  public let value: String
  /// The commit since which it has had this value; nil for a value that is older than the kept history.
  public let commit: Commit?
}

extension FieldBlame {
  init(_ origin: EntityVersions.FieldOrigin) throws {
    field = origin.name
    value = origin.value.json()
    commit = try origin.commit.map { header in
      Commit(
        revisions: header.first...header.revision,
        time: Date(microseconds: header.time),
        name: header.name,
        place: header.place,
        context: try header.commitContexts()[header.revision]
      )
    }
  }
}
