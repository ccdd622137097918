/// Where and when a dispatched action runs.
///
/// | called from inside an operation, an observer or a `then` | what happens |
/// | --- | --- |
/// | `.sync` | runs now, inside; the outer one goes on after it |
/// | `.async`, `.mainThread` | runs on its own, in no order with the outer one |
/// | `.serial` | runs after every serial dispatch that was called before it |
public enum DispatchMode: Sendable, CaseIterable {
  /// On a background thread, beside everything else.
  ///
  /// Two of them may overlap.
  case async
  /// On the calling thread, which waits until all stores are done.
  ///
  /// Not for the main thread when an operation needs it to finish. One inside another uses the
  /// stack, as a call does.
  case sync
  /// On a background thread, one after another in the order of the calls.
  ///
  /// The next one starts when every store is done with this one, observers were told and `then` has
  /// returned. So one that never finishes holds up all that follow.
  case serial
  /// On the main thread, or what the dispatcher was given for it.
  case mainThread
}
