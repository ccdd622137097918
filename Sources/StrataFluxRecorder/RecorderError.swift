/// Why a call of a ``RecorderMiddleware`` failed.
///
/// The call has changed nothing, unless the case says otherwise.
public enum RecorderError: Error {
  /// There is no such position; positions are 0, the base, to `last`.
  case noSuchPosition(Int, last: Int)

  /// There is no entry with this id; it can have been dropped beyond the limit.
  case noSuchEntry(Int)

  /// Entry `id` changed `store` by a commit of which only the resulting state is known, so it cannot
  /// be applied to another state, which skipping an earlier entry requires.
  ///
  /// Entry 0 is one that does not exist yet: of an active dispatch, or of a pause.
  case notReplayable(entry: Int, store: String)

  /// Entry `id` changed `store` before a commit that is part of the base, so the base includes the
  /// change: overlapping dispatches become entries in the order in which they finish.
  case partOfBase(entry: Int, store: String)

  /// The `updateState` of entry `id` threw when it was applied to another state of `store`.
  case replayFailed(entry: Int, store: String, any Error)

  /// The recorder does not record this store.
  case notRecorded(store: String)

  /// A hook of the store refused a state that was to be shown or kept.
  ///
  /// While keeping, the stores registered before it have kept their states.
  case refused(store: String, any Error)

  /// A type of the store is not `Codable`.
  case notCodable(store: String, type: String)

  /// Read back, the recording would show another history from entry `id` on, or not be read at all; 0 is its base.
  case notExportable(entry: Int, String)

  /// A checksum does not match: entry `id`, or the part before the entries for 0, is not as it was
  /// exported.
  case checksumMismatch(entry: Int)

  /// The reducer of the store makes another state of entry `id` than the recording contains.
  case recomputedDifferently(entry: Int, store: String)

  /// The data is not a recording of the stores of this recorder.
  case unreadable(String)
}

extension RecorderError: CustomStringConvertible {
  /// The problem and the remedy.
  public var description: String {
    switch self {
    case .noSuchPosition(let position, let last):
      "There is no position \(position). Use a position from 0, the base, to \(last)."
    case .noSuchEntry(let id):
      "There is no entry \(id). Use an id from entries; the oldest are dropped beyond the limit."
    case .notReplayable(0, let store):
      "An active dispatch, or a pause, changed the store \"\(store)\" in a way that cannot be "
        + "replayed. Skip after the dispatch has finished, or skip only later entries."
    case .notReplayable(let entry, let store):
      "Entry \(entry) changed the store \"\(store)\" by a commit of which only the result is known: "
        + "it was made neither by reduce nor by updateState, or it is imported or from a pause, where "
        + "what updateState did is not known. Skip only later entries."
    case .partOfBase(let entry, let store):
      "The change of entry \(entry) to the store \"\(store)\" is part of the base, because the entry "
        + "overlapped one that was dropped. Give the recorder a higher limit."
    case .replayFailed(let entry, let store, let error):
      "Entry \(entry) failed when it was replayed on another state of the store \"\(store)\": "
        + "\(error). Skip it as well."
    case .notRecorded(let store):
      "The recorder does not record the store \"\(store)\". Register it with its dispatcher."
    case .refused(let store, let error):
      "The store \"\(store)\" refused a state of the recorder: \(error)"
    case .notCodable(let store, let type):
      "The store \"\(store)\" cannot be exported or imported, because \(type) is not Codable. Make "
        + "its state and its actions Codable."
    case .notExportable(let entry, let reason):
      "The recording cannot be exported: an import would not show what this recorder shows from "
        + (entry == 0 ? "its base" : "entry \(entry)")
        + " on. \(reason) Call commit(), which makes the "
        + "states shown the base, and export what is recorded from then on; or export before that entry."
    case .checksumMismatch(let entry):
      (entry == 0 ? "The base of the recording" : "Entry \(entry) of the recording")
        + " is damaged or was edited: its checksum does not match. Export the recording again."
    case .recomputedDifferently(let entry, let store):
      "In entry \(entry) the reducer of the store \"\(store)\" makes another state of the action than "
        + "the recording contains. Import it with the program that exported it."
    case .unreadable(let reason):
      "The recording cannot be imported: \(reason)"
    }
  }
}

extension RecorderError {
  /// The entry that it is about, if it is about one.
  var entry: Int? {
    switch self {
    case .noSuchEntry(let entry), .notReplayable(let entry, _), .partOfBase(let entry, _),
      .replayFailed(let entry, _, _), .notExportable(let entry, _), .checksumMismatch(let entry),
      .recomputedDifferently(let entry, _):
      entry
    case .noSuchPosition, .notRecorded, .refused, .notCodable, .unreadable: nil
    }
  }
}
