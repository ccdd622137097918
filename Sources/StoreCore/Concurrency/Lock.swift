#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A value that one thread at a time may touch.
///
/// A POSIX mutex on the heap, because the thread sanitizer understands it on every platform and
/// reports `Synchronization.Mutex` falsely on Linux. Uncontended locking costs about 6 ns.
/// Locking it again on the thread that holds it traps; the sentence says what to do instead.
/// The value must not be empty (`Void`): the sanitizer would take it for the lock itself. Nor may it
/// be a bare function, which each access would wrap once more: put it in a struct.
package final class Lock<Value>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private let reentryRemedy: StaticString
  /// Touched only between `lock` and `unlock`.
  private var value: Value

  /// Creates a lock around `value`; `reentryRemedy` is the sentence a second lock by the same
  /// thread traps with.
  package init(
    _ value: sending Value,
    reentryRemedy: StaticString = "A lock was taken twice by one thread: leave withLock first."
  ) {
    self.value = value
    self.reentryRemedy = reentryRemedy
    mutex = .allocate(capacity: 1)
    condition = .allocate(capacity: 1)
    var attributes = pthread_mutexattr_t()
    Self.check(pthread_mutexattr_init(&attributes))
    Self.check(pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK)))
    Self.check(pthread_mutex_init(mutex, &attributes))
    Self.check(pthread_mutexattr_destroy(&attributes))
    Self.check(pthread_cond_init(condition, nil))
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Runs `body` with exclusive access to the value.
  package func withLock<R: ~Copyable, E: Error>(_ body: (inout Value) throws(E) -> R) throws(E) -> R
  {
    lock()
    defer { Self.check(pthread_mutex_unlock(mutex)) }
    return try body(&value)
  }

  /// Waits until `isReady` holds, then runs `body`, both with exclusive access.
  ///
  /// `isReady` is asked again after each ``withLockSignalling(_:)`` by another thread.
  package func withLock<R, E: Error>(
    when isReady: (borrowing Value) -> Bool,
    _ body: (inout Value) throws(E) -> R
  ) throws(E) -> R {
    lock()
    defer { Self.check(pthread_mutex_unlock(mutex)) }
    while !isReady(value) { Self.check(pthread_cond_wait(condition, mutex)) }
    return try body(&value)
  }

  /// Runs `body` like `withLock`, then wakes every thread that waits for a condition.
  package func withLockSignalling<R, E: Error>(
    _ body: (inout Value) throws(E) -> R
  ) throws(E) -> R {
    lock()
    defer {
      Self.check(pthread_cond_broadcast(condition))
      Self.check(pthread_mutex_unlock(mutex))
    }
    return try body(&value)
  }

  private func lock() {
    let code = pthread_mutex_lock(mutex)
    if code == EDEADLK { fatalError("\(reentryRemedy)") }
    Self.check(code)
  }

  private static func check(_ code: Int32) {
    if code != 0 { fatalError("A POSIX lock call failed with code \(code).") }
  }
}
