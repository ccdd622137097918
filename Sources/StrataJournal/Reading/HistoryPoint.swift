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

extension HistoryPoint: CustomStringConvertible {
  /// `revision 12`, `2026-11-21T13:03:00Z`, `snapshot “before-upgrade”`.
  public var description: String {
    switch self {
    case .revision(let revision): "revision \(revision)"
    case .time(let time): time.formatted(.iso8601)
    case .snapshot(let name): "snapshot “\(name)”"
    }
  }
}
