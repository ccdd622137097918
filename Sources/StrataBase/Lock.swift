/// A value that one thread at a time may touch.
///
/// A POSIX mutex on the heap, beside the value, because the thread sanitizer understands it on every
/// platform and reports `Synchronization.Mutex` falsely on Linux. Uncontended locking costs about
/// 6 ns. Locking it again on the thread that holds it traps; the sentence says what to do instead.
/// The value must not be empty (`Void`): the sanitizer would take it for the lock itself. Nor may it
/// be a bare function, which each access would wrap once more: put it in a struct.
///
/// Copies are the same lock.
@usableFromInline
package struct Lock<Value>: @unchecked Sendable {
  @usableFromInline let storage: LockStorage<Value>

  /// Creates a lock around `value`; `reentryRemedy` is the sentence a second lock by the same
  /// thread traps with.
  @usableFromInline
  package init(
    _ value: sending Value,
    reentryRemedy: StaticString = "A lock was taken twice by one thread: leave withLock first."
  ) {
    let buffer = LockStorage<Value>.create(minimumCapacity: 1) { _ in value }
    storage = unsafeDowncast(buffer, to: LockStorage<Value>.self)
    storage.withUnsafeMutablePointerToElements { $0.initialize(saying: reentryRemedy) }
  }

  /// Runs `body` with exclusive access to the value.
  @inlinable
  package func withLock<R: ~Copyable, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R
  {
    let value = storage.lock()
    defer { storage.unlock() }
    return try body(&value.pointee)
  }

  /// Waits until `isReady` holds, then runs `body`, both with exclusive access.
  ///
  /// `isReady` is asked again after each ``withLockSignalling(_:)`` by another thread.
  package func withLock<R, E: Error>(
    when isReady: (borrowing Value) -> Bool,
    _ body: (inout Value) throws(E) -> R
  ) throws(E) -> R {
    let value = storage.lock()
    defer { storage.unlock() }
    while !isReady(value.pointee) { storage.wait() }
    return try body(&value.pointee)
  }

  /// Runs `body` like `withLock`, then wakes every thread that waits for a condition.
  package func withLockSignalling<R, E: Error>(
    _ body: (inout Value) throws(E) -> R
  ) throws(E) -> R {
    let value = storage.lock()
    defer {
      storage.wake()
      storage.unlock()
    }
    return try body(&value.pointee)
  }
}
