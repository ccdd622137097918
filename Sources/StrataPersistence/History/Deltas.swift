import StrataBase
public import StrataCore
public import StrataNormalization
import StrataStorage

/// A part of a store's journal, read as it is asked for.
public struct Deltas<State: StateType, Database: DatabaseType>: AsyncSequence, Sendable {
  /// What one commit changed.
  public typealias Element = Delta

  private let persistence: Persistence<State, Database>
  private let first: Revision?
  private let last: Revision?

  init(of persistence: Persistence<State, Database>, from first: Revision?, to last: Revision?) {
    self.persistence = persistence
    self.first = first
    self.last = last
  }

  /// Begins to read; each iterator sees the journal as of its first delta.
  public func makeAsyncIterator() -> Iterator {
    Iterator(persistence: persistence, first: first, last: last)
  }

  /// Goes through the deltas; what it has not come past is not trimmed while it is held.
  public struct Iterator: AsyncIteratorProtocol {
    let persistence: Persistence<State, Database>
    let first: Revision?
    let last: Revision?
    private var page: [Delta] = []
    private var place: JournalPlace?
    private var pin: HistoryPins.Pin?

    init(persistence: Persistence<State, Database>, first: Revision?, last: Revision?) {
      self.persistence = persistence
      self.first = first
      self.last = last
    }

    /// The next delta, or nil at the end.
    ///
    /// Throws ``PersistenceError``.
    public mutating func next() async throws -> Delta? {
      if let delta = page.popLast() { return delta }
      let place: JournalPlace
      if let known = self.place {
        place = known
      } else {
        pin = persistence.reader.pins.pin(0)
        try await persistence.writeWhatWaits(for: nil)
        let (first, last) = (first, last)
        place = try await persistence.reader.read { view in
          try JournalPlace(from: first, to: last, view)
        }
      }
      let (path, policy) = (persistence.writer.path, persistence.policy)
      let (deltas, further) = try await persistence.reader.read { view in
        let decoder = try DatabaseDecoder<Database>(
          known: nil,
          of: view.identity.id,
          policy,
          as: .inspecting,
          at: path
        )
        return try place.page(view, decoder)
      }
      self.place = further
      pin?.advance(to: further.revision)
      page = deltas.reversed()
      return page.popLast()
    }
  }
}

/// How far someone has come in the journal, and how far they go.
struct JournalPlace: Sendable {
  /// The last delta that was read, or the one before the first.
  private(set) var revision: Revision
  private var chain: Checksum
  private let last: Revision

  private static var pageBytes: Int64 { 1 << 20 }

  init(from first: Revision?, to last: Revision?, _ view: ReadView) throws {
    self.last = last ?? view.last.revision
    let begin = max(first ?? view.anchors.last?.header.revision.next ?? 1, 1)
    // Nothing was ever committed, or the journal was just folded whole.
    if first == nil, begin > view.last.revision {
      (revision, chain) = (self.last, view.last.chain)
      return
    }
    revision = Revision(begin.number - 1)
    chain = try view.chain(before: begin)
    if self.last >= begin { try view.checkIsEnd(self.last) }
  }

  /// The next deltas, about a megabyte of them; none at the end.
  func page<Database>(
    _ view: ReadView,
    _ decoder: DatabaseDecoder<Database>
  ) throws -> (deltas: [Delta], further: JournalPlace) {
    var further = self
    var deltas: [Delta] = []
    var replay = view.replay(after: revision, chain: chain)
    while replay.revision < last, replay.bytes < Self.pageBytes,
      let (header, blocks) = try replay.next()
    {
      deltas.append(try decoder.decode(header, blocks, view.catalog))
    }
    (further.revision, further.chain) = (replay.revision, replay.chain)
    return (deltas, further)
  }
}
