/// Why a ``RecorderMiddleware`` did not do what it was asked.
///
/// Nothing has changed then, unless the case says otherwise.
public enum RecorderError: Error {
  /// There is no such position; they go from 0, the base, to `last`.
  case noSuchPosition(Int, last: Int)

  /// There is no entry with this id, any more.
  case noSuchEntry(Int)

  /// Entry `id` changed `store` by a commit of which only the outcome is known, so it cannot be
  /// applied to another state, as skipping an earlier entry would have it.
  ///
  /// Entry 0 is one to come, of a dispatch that is under way or of a pause.
  case notReplayable(entry: Int, store: String)

  /// Entry `id` changed `store` before something that is part of the base by now, so that the base
  /// has what it did: dispatches that overlap are entries in the order in which they are done.
  case partOfBase(entry: Int, store: String)

  /// Entry `id`, applied to another state of `store`, threw.
  case replayFailed(entry: Int, store: String, any Error)

  /// A hook of the store refused what was to be shown or kept.
  ///
  /// While keeping, the stores before it in the order of registration have been kept.
  case refused(store: String, any Error)

  /// A type of the store is not `Codable`.
  case notCodable(store: String, type: String)

  /// The recording is not one of this recorder's stores.
  case unreadable(String)
}

extension RecorderError: CustomStringConvertible {
  /// What happened and what to do about it.
  public var description: String {
    switch self {
    case .noSuchPosition(let position, let last):
      "There is no position \(position). Jump to one from 0, the base, to \(last)."
    case .noSuchEntry(let id):
      "There is no entry \(id). Take ids from entries; the oldest are given up beyond the limit."
    case .notReplayable(0, let store):
      "What is under way, or what a pause left unrecorded, changed the store \"\(store)\" in a way that "
        + "cannot be replayed. Skip again when it is done, or skip only what comes after."
    case .notReplayable(let entry, let store):
      "Entry \(entry) changed the store \"\(store)\" by a commit that cannot be replayed. Change it "
        + "by updateState or reduce, or skip only what comes after."
    case .partOfBase(let entry, let store):
      "What entry \(entry) did to the store \"\(store)\" is part of the base, as it overlapped an entry "
        + "that was given up. Give the recorder a higher limit."
    case .replayFailed(let entry, let store, let error):
      "Entry \(entry) failed when it was replayed on another state of the store \"\(store)\": "
        + "\(error). Skip it as well."
    case .refused(let store, let error):
      "The store \"\(store)\" refused a state of the recorder: \(error)"
    case .notCodable(let store, let type):
      "The store \"\(store)\" cannot be exported or imported, as \(type) is not Codable. Make its "
        + "state and its actions Codable."
    case .unreadable(let reason):
      "The recording cannot be imported: \(reason)"
    }
  }
}
