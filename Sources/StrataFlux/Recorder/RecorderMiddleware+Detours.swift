import StrataBase

/// All of this runs while the turn is taken.
extension RecorderMiddleware {
  /// Lets every store begin a detour.
  func begin() -> RecorderDesk.Travel {
    let stores = desk.withLock { $0.stores }
    var detours: [String: any StoreDetour] = [:]
    for store in stores { detours[store.identifier] = store.beginDetour() }
    return desk.withLock { $0.begin(detours) }
  }

  /// Shows a log in every store where it differs from what is shown; all of them, or none.
  func show(
    _ new: RecorderLog,
    after old: RecorderLog,
    _ travel: RecorderDesk.Travel,
    _ kind: TravelKind
  ) throws(RecorderError) {
    var shown: [(detour: any StoreDetour, before: any StateType)] = []
    for store in desk.withLock({ $0.stores }) {
      let identifier = store.identifier
      guard let detour = travel.detours[identifier], let moment = new.moment[identifier] else {
        continue
      }
      let isShown = moment.stamp == old.moment[identifier]?.stamp && !detour.isDisturbed
      if isShown, kind != .elsewhere { continue }
      let before = store.stateValue
      do {
        try detour.show(moment.state)
      } catch {
        for (detour, before) in shown.reversed() {
          // It was shown a moment ago; if it is refused now, the first refusal says more.
          do { try detour.show(before) } catch _ {}
        }
        throw .refused(store: identifier, error)
      }
      shown.append((detour, before))
    }
  }

  /// Ends the travel where it began.
  func returning(_ travel: RecorderDesk.Travel) throws(RecorderError) -> [any StoreDetour] {
    for store in desk.withLock({ $0.stores }) {
      guard let detour = desk.withLock({ $0.travel?.detours[store.identifier] }) else { continue }
      do {
        try detour.returning()
      } catch {
        throw .refused(store: store.identifier, error)
      }
      desk.withLock { $0.travel?.detours[store.identifier] = nil }
    }
    desk.withLock { $0.endTravel() }
    return inOrder(travel)
  }

  /// Makes what is shown the present, with the log that `settle` makes of the one shown.
  func keep(
    _ settle: (inout RecorderLog) -> Void
  ) throws(RecorderError) -> [any StoreDetour] {
    var log = desk.withLock { $0.log }
    guard let travel = desk.withLock({ $0.travel }) else {
      desk.withLock { $0.settle(settle) }
      return []
    }
    let shown = log
    settle(&log)
    desk.withLock { $0.beginToKeep(log, limit: limit) }
    var kept: [any HubStore] = []
    for store in desk.withLock({ $0.stores }) {
      guard let detour = travel.detours[store.identifier] else { continue }
      do {
        let other = try detour.keeping()
        if let other { desk.withLock { $0.noteKept(other, of: store.identifier, limit: limit) } }
      } catch {
        goOnTravelling(shown, from: kept)
        throw .refused(store: store.identifier, error)
      }
      kept.append(store)
    }
    desk.withLock { $0.travel = nil }
    return inOrder(travel)
  }

  /// Takes back the end of a travel, except for the stores that have been kept: they left from what
  /// they are now.
  private func goOnTravelling(_ shown: RecorderLog, from kept: [any HubStore]) {
    desk.withLock { $0.stopKeeping(shown, limit: limit) }
    for store in kept {
      let detour = store.beginDetour()
      let state = store.stateValue
      desk.withLock { desk in
        desk.travel?.detours[store.identifier] = detour
        desk.noteKept(state, of: store.identifier, limit: limit)
      }
    }
  }

  func inOrder(_ travel: RecorderDesk.Travel) -> [any StoreDetour] {
    desk.withLock { $0.stores }.compactMap { travel.detours[$0.identifier] }
  }
}
