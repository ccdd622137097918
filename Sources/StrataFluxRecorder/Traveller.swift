import Dispatch
import Foundation
import StrataBase
import StrataFlux

/// Moves the stores of a recorder between times.
///
/// Subscribers are notified after all stores have changed, when every lock is free.
struct Traveller {
  let state: Lock<RecorderState>
  let patience: Duration
  /// Held for a whole travel, before the edit locks of the stores and `state`.
  let lock = Lock(
    0,
    reentryRemedy: """
      A recorder was called by a change that it makes again. Call it after updateState has returned.
      """
  )

  /// Runs `body` when no dispatch is in progress, and none can start before it returns.
  func whenIdle<R>(_ body: (inout RecorderState) -> R) throws(RecorderError) -> R {
    let nanoseconds = Int(min(max(0, patience / .nanoseconds(1)), 1e18))
    let deadline = DispatchTime.now() + .nanoseconds(nanoseconds)
    var hasWaited = false
    while true {
      let waiter = DispatchSemaphore(value: 0)
      let (result, active) = state.withLock { state -> (R?, RecorderState.ActiveDispatch?) in
        guard let active = state.dispatches.first else {
          state.settlePause()
          return (body(&state), nil)
        }
        state.waiters.append(waiter)
        // It would wait for itself.
        let own = DispatchID.current.flatMap { id in
          id.hub === state.hub ? state.dispatches.first { $0.id == id.transaction } : nil
        }
        return (nil, hasWaited ? active : own)
      }
      if let result { return result }
      if let entry = active?.entry { throw .inProgress(action: entry.name, since: entry.time) }
      hasWaited = waiter.wait(timeout: deadline) == .timedOut
    }
  }

  /// Shows the travel that `change` makes; starts or ends it if needed.
  func show<R>(
    _ change: (inout RecorderState.Travel) throws(RecorderError) -> R
  ) throws(RecorderError) -> R {
    try moving { () throws(RecorderError) in try travelled(change) }
  }

  /// Ends the travel in the present, if there is one.
  func discard() throws(RecorderError) {
    try moving { () throws(RecorderError) in ((), try returned()) }
  }

  /// Makes the shown states the present, with the log that `settle` makes of the shown one.
  func keep(_ settle: (inout RecorderLog) -> Void) throws(RecorderError) {
    try moving { () throws(RecorderError) in ((), try kept(settle)) }
  }

  /// Makes the base the present, and drops all entries.
  func rollback() throws(RecorderError) {
    try moving { () throws(RecorderError) in
      _ = try travelled { (travel) throws(RecorderError) in try travel.shown.jump(to: 0) }
      return ((), try kept { $0.squash() })
    }
  }

  /// Runs `body`, and notifies the subscribers of the previews that it returns.
  private func moving<R>(
    _ body: () throws(RecorderError) -> (R, [any StorePreview])
  ) throws(RecorderError) -> R {
    let (result, previews) = try lock.withLock { _ throws(RecorderError) in try body() }
    for preview in previews { preview.notify() }
    return result
  }
}

/// The steps, while `lock` is held; they return the previews of the stores that may have changed.
extension Traveller {
  private func travelled<R>(
    _ change: (inout RecorderState.Travel) throws(RecorderError) -> R
  ) throws(RecorderError) -> (R, [any StorePreview]) {
    let (isNew, travel) = try begin()
    var new = travel
    let result: R
    do throws(RecorderError) {
      result = try change(&new)
      if new.shown.isAtPresent, !new.isImported { return (result, try returned()) }
      try show(new.shown, after: travel)
    } catch {
      // A travel that was just started ends; one that was in progress continues unchanged.
      if isNew { _ = try returned() }
      throw error
    }
    state.withLock { $0.travel = new }
    return (result, previews(of: travel))
  }

  /// The travel, which starts if there is none.
  private func begin() throws(RecorderError) -> (isNew: Bool, RecorderState.Travel) {
    if let travel = state.withLock({ $0.travel }) { return (false, travel) }
    let stores = try whenIdle { state in
      state.travel = RecorderState.Travel(shown: state.log)
      return state.stores
    }
    for store in stores { begin(store) }
    // With the commits outside of dispatches that came before the previews.
    return state.withLock { state in
      state.settlePause()
      let previews = state.travel?.previews ?? [:]
      let travel = RecorderState.Travel(shown: state.log, previews: previews)
      state.travel = travel
      return (true, travel)
    }
  }

  /// Lets a store take part in the travel, if there is one.
  func begin(_ store: any HubStore) {
    if state.withLock({ $0.travel == nil }) { return }
    let preview = store.beginPreview()
    state.withLock { $0.travel?.previews[store.identifier] = preview }
  }

  /// Shows a log in every store where it differs from what is shown; in all of them, or in none.
  private func show(
    _ new: RecorderLog,
    after travel: RecorderState.Travel
  ) throws(RecorderError) {
    let (newStates, oldStates) = (new.states, travel.shown.states)
    var shown: [(preview: any StorePreview, before: any StateType)] = []
    for store in state.withLock({ $0.stores }) {
      let name = store.identifier
      guard let preview = travel.previews[name], let state = newStates[name],
        state !== oldStates[name] || preview.hasForeignCommits
      else { continue }
      let before = store.stateValue
      do {
        try preview.show(state.value)
      } catch {
        for (preview, before) in shown.reversed() {
          // It was accepted a moment ago; if it is refused now, the first error is more useful.
          do { try preview.show(before) } catch _ {}
        }
        throw .refused(store: name, error)
      }
      shown.append((preview, before))
    }
  }

  private func returned() throws(RecorderError) -> [any StorePreview] {
    guard let travel = state.withLock({ $0.travel }) else { return [] }
    for store in state.withLock({ $0.stores }) {
      let name = store.identifier
      do {
        try state.withLock { $0.travel?.previews[name] }?.discard()
      } catch {
        throw .refused(store: name, error)
      }
      state.withLock { $0.travel?.previews[name] = nil }
    }
    state.withLock { $0.travel = nil }
    return previews(of: travel)
  }

  private func kept(
    _ settle: (inout RecorderLog) -> Void
  ) throws(RecorderError) -> [any StorePreview] {
    guard let travel = state.withLock({ $0.travel }) else {
      try whenIdle { settle(&$0.log) }
      return []
    }
    var new = travel.shown
    settle(&new)
    let (states, last) = (new.states, state.withLock { $0.log.lastID })
    var kept: [(store: any HubStore, shown: RecordedState, other: RecordedState?)] = []
    var refusal: RecorderError?
    for store in state.withLock({ $0.stores }) where refusal == nil {
      let name = store.identifier
      guard let preview = travel.previews[name], let shown = states[name] else { continue }
      let own = state.withLock { $0.current.updateValue(shown, forKey: name) }
      do {
        kept.append((store, shown, try preview.keep().map { RecordedState($0) }))
      } catch {
        state.withLock { $0.current[name] = own }
        refusal = .refused(store: name, error)
      }
    }
    state.withLock { state in
      let since = refusal == nil ? state.log.entries.filter { $0.id > last } : []
      if refusal == nil {
        new.merge(limit: state.limit)
        (state.log, state.travel) = (new, nil)
      }
      // After a refusal, what the stores before have kept is their present.
      for (store, shown, other) in kept where refusal != nil || other != nil {
        state.keep(other ?? shown, shown, of: store.identifier)
      }
      for entry in since { state.log.append(entry, limit: state.limit) }
    }
    guard let refusal else { return previews(of: travel) }
    for (store, _, _) in kept { begin(store) }
    throw refusal
  }

  /// In the order of the registration of their stores.
  private func previews(of travel: RecorderState.Travel) -> [any StorePreview] {
    state.withLock { $0.stores }.compactMap { travel.previews[$0.identifier] }
  }
}

extension RecorderState {
  /// Adds an entry for a state that a store keeps and that no entry explains.
  fileprivate mutating func keep(
    _ state: RecordedState,
    _ shown: RecordedState,
    of store: String
  ) {
    var entry = RecorderEntry(origin: .commit("changed while travelling"), time: now().date)
    entry[store].changes = [.unknown]
    entry[store].recorded.state = state
    entry[store].shown.state = state
    log.append(entry, limit: limit)
    if current[store] === shown { current[store] = state }
  }
}
