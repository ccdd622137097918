public import Foundation
import StrataBase
public import StrataCore
public import StrataJournal
import StrataRecords

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
