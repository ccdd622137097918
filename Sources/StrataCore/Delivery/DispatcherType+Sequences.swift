extension DispatcherType {
  /// The versions of the scope as an asynchronous sequence, in order, the current one first.
  ///
  /// ```swift
  /// for await changes in store.values() { show(changes.items) }
  /// ```
  ///
  /// It starts with this call, so nothing between the call and the loop is missed. It ends when the
  /// store is released, or when the task that reads it is cancelled. It is for one reader; request one
  /// sequence for each. `previous` is always the version directly before, also after a gap.
  ///
  /// By default it keeps every version until it is read. A reader that needs only the newest value
  /// passes `.newest(1)`.
  public func values(buffering: ValueBuffering = .unbounded) -> AsyncStream<Changes<Scope>> {
    AsyncStream(buffering: buffering) { sinkState(receive: $0) }
  }

  /// The activities sent from now on as an asynchronous sequence, in order.
  ///
  /// ```swift
  /// for await activity in store.activities() { announce(activity) }
  /// ```
  ///
  /// It starts, ends and is read as ``values(buffering:)`` is.
  public func activities(buffering: ValueBuffering = .unbounded) -> AsyncStream<Activity> {
    AsyncStream(buffering: buffering) { sinkActivity(receive: $0) }
  }
}
