public import Foundation

/// A point in the history of a store's file.
public enum HistoryPoint: Sendable, Hashable {
  /// The database as the delta of this number left it; 0 is the one before the first.
  case revision(Revision)
  /// The database as it was at this time: after the last delta at or before it.
  case time(Date)
  /// The database as the snapshot of this name has it.
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
