public import StrataBase

/// The order in which threads take the edit locks of several stores, in debug builds.
///
/// A commit to one store inside a commit of another is legal. If elsewhere the two are taken in the opposite
/// order, two threads can wait for each other for ever. So the first commit in the opposite order traps, also
/// where no other thread is there to wait for.
@usableFromInline
enum EditOrder {
  private struct Status {
    /// The edits that each thread is inside of.
    var held: [UInt: [(store: ObjectIdentifier, place: CommitPlace)]] = [:]
    /// By a store, those that were taken inside its edits, with the places of both commits.
    var inside: [ObjectIdentifier: [ObjectIdentifier: (outer: CommitPlace, inner: CommitPlace)]] =
      [:]

    /// A commit that took a store inside an edit of `outer`, directly or over other stores.
    func path(
      from outer: ObjectIdentifier,
      to inner: ObjectIdentifier
    ) -> (outer: CommitPlace, inner: CommitPlace)? {
      var reached = [outer]
      var seen: Set<ObjectIdentifier> = []
      while let store = reached.popLast() {
        guard seen.insert(store).inserted, let next = inside[store] else { continue }
        if let places = next[inner] { return places }
        reached += next.keys
      }
      return nil
    }
  }

  private static let status = Lock(Status())

  /// Notes that the thread is about to take the edit lock of a store; returns true.
  @usableFromInline
  static func take(_ store: AnyObject, at place: CommitPlace) -> Bool {
    let taken = ObjectIdentifier(store)
    let opposite = status.withLock { status -> String? in
      let outer = status.held[ThreadWork.thread]?.last
      status.held[ThreadWork.thread, default: []].append((taken, place))
      guard let outer, outer.store != taken else { return nil }
      if let places = status.path(from: taken, to: outer.store) {
        return """
          Two stores are committed to inside each other, in both orders: the commit at \(place) is \
          inside the one at \(outer.place), and the commit at \(places.inner) is inside the one at \
          \(places.outer). Two threads can wait for each other there for ever. Commit to one store \
          after the other, or always in one order.
          """
      }
      status.inside[outer.store, default: [:]][taken] = (outer.place, place)
      return nil
    }
    if let opposite { preconditionFailure(opposite) }
    return true
  }

  /// Notes that the thread has left an edit; returns true.
  @usableFromInline
  static func leave() -> Bool {
    status.withLock { status in
      let thread = ThreadWork.thread
      _ = status.held[thread]?.popLast()
      if status.held[thread]?.isEmpty == true { status.held[thread] = nil }
    }
    return true
  }

  /// Forgets a store that has ended; returns true.
  static func forget(_ store: AnyObject) -> Bool {
    let ended = ObjectIdentifier(store)
    status.withLock { status in
      if status.inside.isEmpty { return }
      status.inside[ended] = nil
      for store in status.inside.keys { status.inside[store]?[ended] = nil }
    }
    return true
  }
}
