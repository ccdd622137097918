public import StrataCore
import StrataJournal
public import StrataNormalization
import StrataStorage

/// A range of a store's journal, read on demand.
public struct Deltas<State: StateType, Database: DatabaseType>: AsyncSequence, Sendable {
  /// The changes of one commit.
  public typealias Element = Delta

  private let persistence: Persistence<State, Database>
  private let first: Revision?
  private let last: Revision?

  init(of persistence: Persistence<State, Database>, from first: Revision?, to last: Revision?) {
    self.persistence = persistence
    self.first = first
    self.last = last
  }

  /// Starts reading; each iterator sees the journal as of its first delta.
  public func makeAsyncIterator() -> Iterator {
    Iterator(persistence: persistence, first: first, last: last)
  }

  /// Iterates over the deltas; those it has not read yet are not trimmed while it lives.
  public struct Iterator: AsyncIteratorProtocol {
    let persistence: Persistence<State, Database>
    let first: Revision?
    let last: Revision?
    private var page: [Delta] = []
    private var cursor: DeltaCursor?
    private var pin: HistoryPins.Pin?

    init(persistence: Persistence<State, Database>, first: Revision?, last: Revision?) {
      self.persistence = persistence
      self.first = first
      self.last = last
    }

    /// The next delta, or nil at the end.
    ///
    /// Throws `PersistenceError`.
    public mutating func next() async throws -> Delta? {
      if let delta = page.popLast() { return delta }
      let cursor: DeltaCursor
      if let known = self.cursor {
        cursor = known
      } else {
        pin = persistence.reader.pins.pin(0)
        try await persistence.writePending(for: nil)
        let (first, last) = (first, last)
        cursor = try await persistence.reader.read { view in
          try DeltaCursor(from: first, to: last, view)
        }
      }
      let (deltas, next) = try await persistence.read { view, decoder in
        try cursor.page(view, decoder)
      }
      self.cursor = next
      pin?.advance(to: next.revision)
      page = deltas.reversed()
      return page.popLast()
    }
  }
}
