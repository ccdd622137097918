/// What a delta states about the commit that made it.
///
/// Names and places help to read a history. A name may hold what a person typed, and a place shows how the
/// program is built, so both can be left out. What was written before stays.
public enum CommitTraces: Sendable, Equatable {
  /// The name given to `commit("name")`, and the file, line and function of the call.
  case nameAndPlace
  /// The name alone.
  case nameOnly
  /// Neither.
  case none

  func name(of delta: PendingDelta) -> String {
    // The number of merged commits is no secret.
    self == .none && delta.first == delta.revision ? "" : delta.name
  }

  func place(of place: CommitPlace, _ places: inout PlaceCache) -> String {
    self == .nameAndPlace ? places.text(of: place) : ""
  }
}
