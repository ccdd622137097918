public import StrataJournal

/// What an erasure did.
public struct ErasureReport: Sendable, Equatable {
  /// A copy of the store that was not changed.
  public struct Copy: Sendable, Equatable {
    /// What is known of a copy.
    public enum Finding: Sendable, Equatable {
      /// It holds some of the entities.
      case holdsEntities
      /// It cannot be read, so it may hold some of them.
      case unreadable(String)
    }

    /// The path of the copy.
    public let path: String
    /// What is known of it.
    public let finding: Finding
  }

  /// The position of the store afterwards: the same revision, in a new lineage.
  public let position: Position
  /// How many entities were erased from each table.
  public let entities: [String: Int]
  /// How many of their versions and removals were in deltas.
  public let changes: Int
  /// The deltas whose hashes were computed again; nil if none had one of the entities.
  public let rewritten: ClosedRange<Revision>?
  /// Copies in the directory of the store that still hold some of the entities: backups, and quarantined
  /// files.
  ///
  /// Copies elsewhere are not known, and the free pages of copies are not looked at.
  public let copies: [Copy]
  /// Named snapshots from before a migration whose delta was trimmed.
  ///
  /// They may still hold entities that had another ID, or were in a table of another name, at that time: which, is not known
  /// any more. Remove the snapshots by their names to be sure.
  public let unfollowedSnapshots: [Revision]
  /// Whether the store was sent to an archive, which holds them until the store is sent again.
  package let isArchived: Bool
}

/// What to do about references to entities that are to be erased.
public enum ReferencePolicy: Sendable {
  /// Nothing is erased if an entity of the database still refers to one of them, as far as its layout notes
  /// references: those of sealed records are not known.
  case refuse
  /// They stay, and lead nowhere.
  case leave
}
