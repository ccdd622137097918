import Dispatch
import Foundation
import StrataBase
import StrataFlux

/// Moves the stores of a recorder between times.
///
/// All methods but ``whenIdle(_:)`` are called while the lock for travels is held. They return the previews
/// of the stores that may have changed, whose subscribers the caller notifies when that lock is free.
struct Traveller {
  /// What is travelled through.
  enum Kind {
    /// The entries recorded here.
    case recorded
    /// The entries recorded here, to their base, in order to keep it.
    case base
    /// An imported recording.
    case imported
  }

  let state: Lock<RecorderState>
  let limit: Int
  let patience: Duration
  let moment: @Sendable () -> RecorderState.Moment

  /// Runs `body` when no dispatch is in progress, and none can start before it returns.
  func whenIdle<R>(_ body: (inout RecorderState) -> R) throws(RecorderError) -> R {
    let nanoseconds = Int(min(max(0, patience / .nanoseconds(1)), 1e18))
    let deadline = DispatchTime.now() + .nanoseconds(nanoseconds)
    var hasWaited = false
    while true {
      let waiter = DispatchSemaphore(value: 0)
      let (result, active) = state.withLock { state -> (R?, RecorderState.ActiveDispatch?) in
        guard let active = state.dispatches.first else {
          state.settlePause(at: moment(), limit: limit)
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
      if let active {
        let action = active.entry.action.map { "\($0)" } ?? ""
        throw .inProgress(action: action, since: active.entry.time)
      }
      hasWaited = waiter.wait(timeout: deadline) == .timedOut
    }
  }

  /// Shows the log that `change` makes; starts or ends a travel if needed.
  func show(
    _ kind: Kind,
    _ change: (inout RecorderLog) throws(RecorderError) -> Void
  ) throws(RecorderError) -> [any StorePreview] {
    let isNew = try begin()
    guard let travel = state.withLock({ $0.travel }) else { return [] }
    var new = travel.shown
    do throws(RecorderError) {
      try change(&new)
      if new.isAtPresent, kind == .recorded, !travel.isImported { return try discard() }
      try show(new, after: travel)
    } catch {
      // A travel that was just started ends; one that was in progress continues unchanged.
      if isNew { _ = try discard() }
      throw error
    }
    state.withLock { state in
      state.travel?.shown = new
      if kind == .imported { state.travel?.isImported = true }
    }
    return previews(of: travel)
  }

  /// Starts a travel, unless there is one.
  private func begin() throws(RecorderError) -> Bool {
    if state.withLock({ $0.travel != nil }) { return false }
    let stores = try whenIdle { state in
      state.travel = RecorderState.Travel(shown: state.log)
      return state.stores
    }
    for store in stores {
      let preview = store.beginPreview()
      state.withLock { $0.travel?.previews[store.identifier] = preview }
    }
    // With the commits outside of dispatches that came before the previews.
    state.withLock { state in
      state.settlePause(at: moment(), limit: limit)
      state.travel?.shown = state.log
    }
    return true
  }

  /// Shows a log in every store where it differs from what is shown; in all of them, or in none.
  private func show(
    _ new: RecorderLog,
    after travel: RecorderState.Travel
  ) throws(RecorderError) {
    let (newStates, oldStates) = (new.states, travel.shown.states)
    var shown: [(preview: any StorePreview, before: any StateType)] = []
    for store in state.withLock({ $0.stores }) {
      let identifier = store.identifier
      guard let preview = travel.previews[identifier], let state = newStates[identifier],
        state !== oldStates[identifier] || preview.hasForeignCommits
      else { continue }
      let before = store.stateValue
      do {
        try preview.show(state.value)
      } catch {
        for (preview, before) in shown.reversed() {
          // It was accepted a moment ago; if it is refused now, the first error is more useful.
          do { try preview.show(before) } catch _ {}
        }
        throw .refused(store: identifier, error)
      }
      shown.append((preview, before))
    }
  }

  /// Ends the travel in the present, if there is one.
  func discard() throws(RecorderError) -> [any StorePreview] {
    guard let travel = state.withLock({ $0.travel }) else { return [] }
    for store in state.withLock({ $0.stores }) {
      guard let preview = state.withLock({ $0.travel?.previews[store.identifier] }) else {
        continue
      }
      do {
        try preview.discard()
      } catch {
        throw .refused(store: store.identifier, error)
      }
      state.withLock { $0.travel?.previews[store.identifier] = nil }
    }
    state.withLock { $0.travel = nil }
    return previews(of: travel)
  }

  /// Makes the shown states the present, with the log that `settle` makes of the shown one.
  func keep(_ settle: (inout RecorderLog) -> Void) throws(RecorderError) -> [any StorePreview] {
    guard let travel = state.withLock({ $0.travel }) else {
      try whenIdle { settle(&$0.log) }
      return []
    }
    var new = travel.shown
    settle(&new)
    let (states, last) = (new.states, state.withLock { $0.log.lastID })
    var kept: [(store: any HubStore, other: RecordedState?)] = []
    for store in state.withLock({ $0.stores }) {
      let name = store.identifier
      guard let preview = travel.previews[name], let shown = states[name] else { continue }
      let own = state.withLock { state in
        defer { state.current[name] = shown }
        return state.current[name]
      }
      do {
        kept.append((store, try preview.keep().map { RecordedState($0) }))
      } catch {
        state.withLock { $0.current[name] = own }
        beginAgain(kept, states)
        throw .refused(store: name, error)
      }
    }
    state.withLock { state in
      let since = state.log.entries.filter { $0.id > last }
      new.apply(limit: limit)
      state.log = new
      for (store, other) in kept {
        guard let other else { continue }
        state.keep(other, of: store.identifier, at: moment(), limit: limit)
        let isLast = state.current[store.identifier] === states[store.identifier]
        if isLast { state.current[store.identifier] = other }
      }
      for entry in since { state.log.append(entry, limit: limit) }
      state.travel = nil
    }
    return previews(of: travel)
  }

  /// Continues a travel after a store could not keep what it shows: what the stores before it have kept is
  /// their present.
  private func beginAgain(
    _ kept: [(store: any HubStore, other: RecordedState?)],
    _ states: RecorderLog.States
  ) {
    for (store, other) in kept {
      let preview = store.beginPreview()
      state.withLock { state in
        state.travel?.previews[store.identifier] = preview
        guard let now = other ?? states[store.identifier] else { return }
        state.keep(now, of: store.identifier, at: moment(), limit: limit)
        state.current[store.identifier] = now
      }
    }
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
    of store: String,
    at moment: Moment,
    limit: Int
  ) {
    var entry = RecorderEntry(.commit("changed while travelling"), at: moment.date)
    entry[store].changes = [.unknown]
    entry[store].recorded = state
    entry[store].shown = state
    log.append(entry, limit: limit)
  }
}
