public import Foundation

/// A point in the history of a store's file.
public enum HistoryPoint: Sendable, Hashable {
  /// The database after the delta of this revision; 0 is the one before the first delta.
  case revision(Revision)
  /// The database at this time: after the last delta at or before it.
  case time(Date)
  /// The database in the snapshot of this name.
  case snapshot(String)
}
