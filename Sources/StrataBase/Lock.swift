/// A value behind a mutex: one thread at a time has access.
///
/// It is a POSIX mutex on the heap, next to the value. The thread sanitizer supports that on every
/// platform; on Linux it reports false races for `Synchronization.Mutex`. An uncontended lock costs
/// about 6 ns. Locking again on the thread that holds the lock traps with a message that names the
/// remedy.
///
/// The value must not be empty (`Void`), because the sanitizer would mistake its address for the
/// mutex. It must not be a bare function or an optional one either, because each access would add a wrapper around it,
/// and each call goes through all of them: put the function in a struct.
///
/// Copies share one lock.
@usableFromInline
package struct Lock<Value>: @unchecked Sendable {
  @usableFromInline let storage: LockStorage<Value>

  /// Creates a lock around `value`.
  ///
  /// - Parameter reentryRemedy: The message of the trap when a thread locks twice.
  @usableFromInline
  package init(
    _ value: sending Value,
    reentryRemedy: StaticString = "One thread took a lock twice: return from withLock first."
  ) {
    let buffer = LockStorage<Value>.create(minimumCapacity: 1) { _ in value }
    storage = unsafeDowncast(buffer, to: LockStorage<Value>.self)
    storage.withUnsafeMutablePointerToElements { $0.initialize(reentryRemedy: reentryRemedy) }
  }

  /// Runs `body` with exclusive access to the value.
  @inlinable
  package func withLock<R: ~Copyable, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R
  {
    let value = storage.lock()
    defer { storage.unlock() }
    return try body(&value.pointee)
  }

  /// Waits until `isReady` returns true, then runs `body`, both with exclusive access.
  ///
  /// `isReady` is evaluated again after each ``withLockSignalling(_:)`` by another thread.
  package func withLock<R, E: Error>(
    when isReady: (borrowing Value) -> Bool,
    _ body: (inout Value) throws(E) -> R
  ) throws(E) -> R {
    let value = storage.lock()
    defer { storage.unlock() }
    while !isReady(value.pointee) { storage.wait() }
    return try body(&value.pointee)
  }

  /// Runs `body` like `withLock`, then wakes all threads that wait for a condition.
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
