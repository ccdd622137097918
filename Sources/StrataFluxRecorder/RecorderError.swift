public import Foundation

/// Why a call of a ``RecorderMiddleware`` failed.
///
/// The call has changed nothing, unless the case says otherwise.
public enum RecorderError: Error {
  /// There is no such position; positions are 0, the base, to `last`.
  case noSuchPosition(Int, last: Int)

  /// There is no entry with this id; it can have been dropped beyond the limit.
  case noSuchEntry(Int)

  /// The dispatch of `action` has been in progress since a time, and a travel or an export needs its end.
  case inProgress(action: String, since: Date)

  /// The skipped entry is before others that changed `store` by a commit of which only the result is known,
  /// so that they cannot be made again.
  case notReplayable(entries: [Int], store: String)

  /// The base has a commit of the entry to `store`: an older entry overlapped it.
  case partOfBase(entry: Int, store: String)

  /// The `updateState` of an entry threw when it was made again on another state of `store`.
  case replayFailed(entry: Int, store: String, any Error)

  /// The recorder does not record this store.
  case notRecorded(store: String)

  /// A hook of the store refused a state that was to be shown or kept.
  case refused(store: String, any Error)

  /// A type of the store is not `Codable`.
  case notCodable(store: String, type: String)

  /// The state of a store after an entry, or the action of the entry, cannot be encoded; entry 0 is the
  /// base.
  case notExportable(entry: Int, store: String, String)

  /// The recording has another checksum than it had when it was exported.
  case checksumMismatch(stored: String, computed: String)

  /// The data is not a recording of the stores of this recorder.
  case unreadable(String)

  /// The error of a store in an imported recording, as its description.
  case recorded(String)
}

extension RecorderError: CustomStringConvertible {
  /// The problem and the remedy.
  public var description: String {
    switch self {
    case .noSuchPosition(let position, let last):
      "There is no position \(position). Use a position from 0, the base, to \(last)."
    case .noSuchEntry(let id):
      "There is no entry \(id). Use an id from entries; the oldest are dropped beyond the limit."
    case .inProgress(let action, let since):
      "The dispatch of \(action) has been in progress since \(since.ISO8601Format()). Call again when it "
        + "is finished, or cancel it: activeDispatches of the dispatcher has it."
    case .notReplayable(let entries, let store):
      "Entries \(entries.map { "\($0)" }.joined(separator: ", ")) changed the store \"\(store)\" by "
        + "commits that cannot be made again on another state: with commit, in a pause, or in another "
        + "program by an operation. Skip them first, the last one first."
    case .partOfBase(let entry, let store):
      "The change of entry \(entry) to the store \"\(store)\" is part of the base, because the entry "
        + "overlapped one that was dropped. Give the recorder a higher limit."
    case .replayFailed(let entry, let store, let error):
      "Entry \(entry) failed when it was made again on another state of the store \"\(store)\": "
        + "\(error). Skip it first."
    case .notRecorded(let store):
      "The recorder does not record the store \"\(store)\". Register it with its dispatcher."
    case .refused(let store, let error):
      "The store \"\(store)\" refused a state of the recorder: \(error)"
    case .notCodable(let store, let type):
      "The store \"\(store)\" cannot be exported or imported, because \(type) is not Codable. Make "
        + "its state and its actions Codable."
    case .notExportable(let entry, let store, let reason):
      "The store \"\(store)\" cannot be exported "
        + (entry == 0 ? "as it is in the base: " : "as it is after entry \(entry): ") + reason
    case .checksumMismatch(let stored, let computed):
      "The recording is damaged or was edited: its checksum is \(computed), and was \(stored). "
        + "Export it again."
    case .unreadable(let reason):
      "The recording cannot be imported: \(reason)"
    case .recorded(let description): description
    }
  }
}
