public import StrataBase

/// The order in which threads take the edit locks of several stores, in debug builds.
///
/// A commit to one store inside a commit of another is legal. If elsewhere the two are taken in the opposite
/// order, two threads can wait for each other for ever. So the first commit in the opposite order traps, also
/// where no other thread is there to wait for.
///
/// A commit inside no other one takes no lock for this: one lock for all stores would order the commits of threads that have
/// nothing in common, and the thread sanitizer would see no race between them.
@usableFromInline
enum EditOrder {
  /// An edit that a thread is inside of.
  private struct HeldEdit {
    let store: ObjectIdentifier
    let place: CommitPlace
    let outer: UnsafeMutablePointer<HeldEdit>?
  }

  private typealias Places = (outer: CommitPlace, inner: CommitPlace)

  /// By a store, those that were taken inside its edits, with the places of both commits.
  private static let inside = Lock<[ObjectIdentifier: [ObjectIdentifier: Places]]>([:])

  /// Notes that the thread is about to take the edit lock of a store; returns true.
  @usableFromInline
  static func take(_ store: AnyObject, at place: CommitPlace) -> Bool {
    let taken = ObjectIdentifier(store)
    let innermost = ThreadWork.edit
    let outer = innermost.pointee?.assumingMemoryBound(to: HeldEdit.self)
    let held = UnsafeMutablePointer<HeldEdit>.allocate(capacity: 1)
    held.initialize(to: HeldEdit(store: taken, place: place, outer: outer))
    innermost.pointee = UnsafeMutableRawPointer(held)
    guard let outer = outer?.pointee, outer.store != taken else { return true }
    let opposite = inside.withLock { inside -> Places? in
      let opposite = path(from: taken, to: outer.store, in: inside)
      if opposite == nil { inside[outer.store, default: [:]][taken] = (outer.place, place) }
      return opposite
    }
    if let opposite {
      preconditionFailure(
        """
        Two stores are committed to inside each other, in both orders: the commit at \(place) is \
        inside the one at \(outer.place), and the commit at \(opposite.inner) is inside the one at \
        \(opposite.outer). Two threads can wait for each other there for ever. Commit to one store \
        after the other, or always in one order.
        """
      )
    }
    return true
  }

  /// A commit that took a store inside an edit of another one, directly or over other stores.
  private static func path(
    from outer: ObjectIdentifier,
    to inner: ObjectIdentifier,
    in inside: [ObjectIdentifier: [ObjectIdentifier: Places]]
  ) -> Places? {
    var reached = [outer]
    var seen: Set<ObjectIdentifier> = []
    while let store = reached.popLast() {
      guard seen.insert(store).inserted, let next = inside[store] else { continue }
      if let places = next[inner] { return places }
      reached += next.keys
    }
    return nil
  }

  /// Notes that the thread has left an edit; returns true.
  @usableFromInline
  static func leave() -> Bool {
    let innermost = ThreadWork.edit
    guard let held = innermost.pointee?.assumingMemoryBound(to: HeldEdit.self) else { return true }
    innermost.pointee = UnsafeMutableRawPointer(held.pointee.outer)
    held.deinitialize(count: 1)
    held.deallocate()
    return true
  }

  /// Forgets a store that has ended; returns true.
  static func forget(_ store: AnyObject) -> Bool {
    let ended = ObjectIdentifier(store)
    inside.withLock { inside in
      if inside.isEmpty { return }
      inside[ended] = nil
      for store in inside.keys { inside[store]?[ended] = nil }
    }
    return true
  }
}
