import StrataBase

/// The part of the journal that readers in this process still need.
///
/// The writer checks it in each slice of trimming. A slice that is running when something is pinned may
/// still remove it, so a caller that pins must check afterwards that everything is there.
package final class HistoryPins: Sendable {
  private struct State {
    var revisions: [Int: Revision] = [:]
    var nextID = 0
    var openings = 0
  }

  private let state = Lock(State())

  package init() {}

  /// The lowest revision after which everything must be kept; nil if nothing is pinned.
  package var lowest: Revision? { state.withLock { $0.revisions.values.min() } }

  /// How often the writer has opened its files, as once more after an error of the disk: its WAL may be another file then.
  package var openings: Int { state.withLock { $0.openings } }

  /// Notes that the writer has opened its files.
  package func noteOpened() { state.withLock { $0.openings += 1 } }

  /// Keeps the snapshot at `revision` and everything after it until the pin is deallocated.
  package func pin(_ revision: Revision) -> Pin {
    let id = state.withLock { state in
      state.nextID += 1
      state.revisions[state.nextID] = revision
      return state.nextID
    }
    return Pin(self, id)
  }

  /// Keeps history until it is deallocated.
  package final class Pin: Sendable {
    private let pins: HistoryPins
    private let id: Int

    fileprivate init(_ pins: HistoryPins, _ id: Int) {
      self.pins = pins
      self.id = id
    }

    deinit { pins.state.withLock { $0.revisions[id] = nil } }

    /// Releases what is before a revision.
    package func advance(to revision: Revision) {
      pins.state.withLock { $0.revisions[id] = revision }
    }
  }
}
