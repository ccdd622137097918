import StrataBase

/// What a delta states about its commit.
///
/// Names and places help to read a history. A name may contain what a person typed, and a place reveals
/// how the program is built, so both can be left out. Deltas that were written before keep theirs.
public enum CommitTraces: Sendable, Equatable {
  /// The name given to `commit("name")`, and the file, line and function of the call.
  case nameAndPlace
  /// The name alone.
  case nameOnly
  /// Neither.
  case none

  func name(of delta: PendingDelta) -> String {
    // How many commits were merged reveals nothing.
    self == .none && delta.first == delta.revision ? "" : delta.name
  }

  func place(of place: CommitPlace, _ places: inout PlaceCache) -> String {
    self == .nameAndPlace ? places.text(of: place) : ""
  }
}
