import StrataBase

extension RecorderMiddleware {
  /// Shows the state one entry earlier; false at the base, where nothing happens.
  ///
  /// O(stores).
  ///
  /// - Throws: ``RecorderError/refused(store:_:)``.
  @discardableResult
  public func back() throws(RecorderError) -> Bool { try step(by: -1) }

  /// Shows the state one entry later; false at the last one, where nothing happens.
  ///
  /// O(stores).
  ///
  /// - Throws: ``RecorderError/refused(store:_:)``.
  @discardableResult
  public func forward() throws(RecorderError) -> Bool { try step(by: 1) }

  /// Shows the state after the first `position` entries.
  ///
  /// O(stores).
  ///
  /// - Throws: ``RecorderError/noSuchPosition(_:last:)``, ``RecorderError/refused(store:_:)``.
  public func jump(to position: Int) throws(RecorderError) {
    try move { log throws(RecorderError) in try log.jump(to: position) }
  }

  /// Shows the state after an entry.
  ///
  /// O(limit + stores).
  ///
  /// - Throws: ``RecorderError/noSuchEntry(_:)``, ``RecorderError/refused(store:_:)``.
  public func jump(toEntry id: Int) throws(RecorderError) {
    try move { log throws(RecorderError) in try log.jump(to: log.position(after: id)) }
  }

  /// Shows what would be without an entry: the commits to a store after the first one left out are
  /// done anew, in the order in which they were.
  ///
  /// O(n log n + stores) for n commits recorded, and the cost of those done anew.
  ///
  /// - Throws: ``RecorderError/noSuchEntry(_:)``; ``RecorderError/notReplayable(entry:store:)`` when
  ///   a later commit changed one of these stores other than by `updateState` or `reduce`;
  ///   ``RecorderError/partOfBase(entry:store:)``;
  ///   ``RecorderError/replayFailed(entry:store:_:)``; ``RecorderError/refused(store:_:)``.
  public func skip(_ id: Int) throws(RecorderError) {
    try move { log throws(RecorderError) in try log.setSkipped(id, true) }
  }

  /// Takes a skipped entry in again.
  ///
  /// At the same cost.
  ///
  /// - Throws: As ``skip(_:)`` does.
  public func unskip(_ id: Int) throws(RecorderError) {
    try move { log throws(RecorderError) in try log.setSkipped(id, false) }
  }

  private func step(by distance: Int) throws(RecorderError) -> Bool {
    var hasMoved = false
    try move { log throws(RecorderError) in
      let position = log.position + distance
      hasMoved = (0...log.entries.count).contains(position)
      if hasMoved { try log.jump(to: position) }
    }
    return hasMoved
  }
}

extension RecorderMiddleware {
  /// Ends the travel where it began: every store is as it was, and nothing was written.
  ///
  /// Entries are as before, none skipped. Nothing happens in the present. O(stores).
  ///
  /// - Throws: ``RecorderError/refused(store:_:)``.
  public func returnToPresent() throws(RecorderError) {
    try ending { () throws(RecorderError) in
      guard let travel = desk.withLock({ $0.travel }) else { return [] }
      return try returning(travel)
    }
  }

  /// Makes what is shown the present: gives up the entries after it, and those skipped.
  ///
  /// It is written, as one commit of each store that differs from where it left. Nothing happens in
  /// the present. O(limit + stores), and the cost of these commits.
  ///
  /// - Throws: ``RecorderError/refused(store:_:)`` when a store cannot keep what it shows, for
  ///   example as its file was closed.
  public func branch() throws(RecorderError) {
    try ending { () throws(RecorderError) in try keep { $0.cut() } }
  }

  /// Makes what is shown the present and the base, and gives up all entries.
  ///
  /// Written as by ``branch()``; in the present, nothing needs to be. O(stores), and the cost of
  /// these commits.
  ///
  /// - Throws: As ``branch()`` does.
  public func commit() throws(RecorderError) {
    try ending { () throws(RecorderError) in try keep { $0.squash() } }
  }

  /// Makes the base the present, and gives up all entries.
  ///
  /// Written as by ``branch()``. O(limit + stores).
  ///
  /// - Throws: As ``branch()`` does; then the base is shown.
  public func rollback() throws(RecorderError) {
    try ending { () throws(RecorderError) in
      _ = try moving(.toBase) { log throws(RecorderError) in
        log = log.with([])
        try log.jump(to: 0)
      }
      return try keep { $0.squash() }
    }
  }

  /// Moves, then tells everyone.
  func move(_ change: (inout RecorderLog) throws(RecorderError) -> Void) throws(RecorderError) {
    try ending { () throws(RecorderError) in try moving(.through, change) }
  }

  /// Runs one travel, and tells subscribers when all stores have moved and every lock is free.
  func ending(
    _ travel: () throws(RecorderError) -> [any StoreDetour]
  ) throws(RecorderError) {
    let moved = try turn.withLock { _ throws(RecorderError) in try travel() }
    for detour in moved { detour.tell() }
  }

  /// Shows what the log says after `change`; begins a travel or ends it as needed.
  func moving(
    _ kind: TravelKind = .through,
    _ change: (inout RecorderLog) throws(RecorderError) -> Void
  ) throws(RecorderError) -> [any StoreDetour] {
    let underWay = desk.withLock { $0.travel }
    var travel = underWay ?? begin()
    if kind == .elsewhere { travel.isImported = true }
    let old = desk.withLock { $0.log }
    var new = old
    do throws(RecorderError) {
      try change(&new)
      // Without entries the base is the last position, and still not what is under way.
      let isPresent = new.isAtPresent && (kind != .toBase || old.drafts.allSatisfy(\.isEmpty))
      if isPresent, !travel.isImported { return try returning(travel) }
      try show(new, after: old, travel, kind)
    } catch {
      // A travel that has only begun ends; one under way goes on as it was.
      if underWay == nil { _ = try returning(travel) }
      throw error
    }
    // Not the whole travel: dispatches that ended meanwhile have been added to its present.
    desk.withLock { desk in
      desk.take(new)
      desk.travel?.isImported = travel.isImported
    }
    return inOrder(travel)
  }
}

/// Whether a travel goes through what was recorded here, on to its base, or shows another recording.
enum TravelKind {
  case through
  case toBase
  case elsewhere
}
