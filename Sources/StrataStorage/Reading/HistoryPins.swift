import StrataBase

/// What readers of this process still need of the journal.
///
/// The writer looks at it in each slice of trimming. A slice that is under way when something is
/// pinned may still take it, so whoever pins looks again whether all is there.
package final class HistoryPins: Sendable {
  private struct Held {
    var revisions: [Int: Revision] = [:]
    var nextID = 0
  }

  private let held = Lock(Held())

  /// The lowest revision after which everything must stay; nil when nothing is pinned.
  var lowest: Revision? { held.withLock { $0.revisions.values.min() } }

  /// Keeps the snapshot at `revision` and everything after it, until the pin is gone.
  package func pin(_ revision: Revision) -> Pin {
    let id = held.withLock { held in
      held.nextID += 1
      held.revisions[held.nextID] = revision
      return held.nextID
    }
    return Pin(self, id)
  }

  /// Holds on to history for as long as it lives.
  package final class Pin: Sendable {
    private let pins: HistoryPins
    private let id: Int

    fileprivate init(_ pins: HistoryPins, _ id: Int) {
      self.pins = pins
      self.id = id
    }

    deinit { pins.held.withLock { $0.revisions[id] = nil } }

    /// Lets go of what is before a revision.
    package func advance(to revision: Revision) {
      pins.held.withLock { $0.revisions[id] = revision }
    }
  }
}
