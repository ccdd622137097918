/// Where and when a dispatched action runs.
///
/// | mode | when dispatched inside an operation, an observer or a `then` |
/// | --- | --- |
/// | `.sync` | runs now, nested; the outer dispatch continues afterwards |
/// | `.async`, `.mainThread` | runs independently, in no order with the outer dispatch |
/// | `.serial` | runs after every serial dispatch called before it |
public enum DispatchMode: Sendable, CaseIterable {
  /// On a background thread, concurrently with other dispatches.
  case async
  /// On the calling thread, which blocks until all stores are done; a task that awaits the dispatch
  /// suspends instead of blocking.
  ///
  /// Do not use it on the main thread when an operation needs the main thread to finish. A nested
  /// dispatch uses the stack, like a call.
  case sync
  /// On a background thread, one at a time in the order of the calls.
  ///
  /// The next dispatch starts when every store has finished this one, observers were notified and
  /// `then` has returned. So a dispatch that never finishes blocks all that follow.
  case serial
  /// On the main thread, or on the executor that the dispatcher was given for it.
  case mainThread
}
