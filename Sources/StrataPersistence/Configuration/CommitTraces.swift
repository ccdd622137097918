import StrataCore

/// What a delta says of who committed it.
///
/// Names and places help whoever looks at a history. A name may hold what a person typed, and a place
/// tells how the program is built: they can be left out. What was written stays.
public enum CommitTraces: Sendable, Equatable {
  /// The name given to `commit("name")`, and the file, line and function of the call.
  case nameAndPlace
  /// The name alone.
  case nameOnly
  /// Neither.
  case none

  func name(of delta: PendingDelta) -> String {
    // How many commits were merged is nobody's secret.
    self == .none && delta.first == delta.revision ? "" : delta.name
  }

  func place(of trace: CommitTrace, _ places: inout PlaceNames) -> String {
    self == .nameAndPlace ? places.name(of: trace) : ""
  }
}
