#if canImport(Darwin)
  public import Darwin
#elseif canImport(Musl)
  public import Musl
#else
  public import Glibc
#endif

/// The heap object of a lock: the value and the POSIX objects that guard it, at a fixed address.
@usableFromInline
final class LockStorage<Value>: ManagedBuffer<Value, LockPrimitives> {
  /// Locks, and returns the value, which may be accessed until ``unlock()``.
  @inlinable
  func lock() -> UnsafeMutablePointer<Value> {
    withUnsafeMutablePointers { value, primitives in
      let code = pthread_mutex_lock(&primitives.pointee.mutex)
      if code != 0 { primitives.pointee.failToLock(code) }
      return value
    }
  }

  @inlinable
  func unlock() {
    withUnsafeMutablePointerToElements {
      LockPrimitives.check(pthread_mutex_unlock(&$0.pointee.mutex))
    }
  }

  /// Unlocks, waits until another thread calls ``wake()``, and locks again.
  func wait() {
    withUnsafeMutablePointerToElements {
      LockPrimitives.check(pthread_cond_wait($0.pointee.makeCondition(), &$0.pointee.mutex))
    }
  }

  func wake() {
    withUnsafeMutablePointerToElements {
      guard let condition = $0.pointee.condition else { return }
      LockPrimitives.check(pthread_cond_broadcast(condition))
    }
  }

  deinit { withUnsafeMutablePointerToElements { $0.destroy() } }
}

/// The POSIX objects of a lock, and the message of its trap.
@usableFromInline
struct LockPrimitives {
  /// The first field, so that it is next to the value: each lock accesses both.
  @usableFromInline var mutex = pthread_mutex_t()
  /// Allocated by the first thread that waits, because few locks have waiters.
  private(set) var condition: UnsafeMutablePointer<pthread_cond_t>?
  let reentryRemedy: StaticString

  init(reentryRemedy: StaticString) { self.reentryRemedy = reentryRemedy }

  /// Returns the condition; the mutex must be held.
  mutating func makeCondition() -> UnsafeMutablePointer<pthread_cond_t> {
    if let condition { return condition }
    let made = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    Self.check(pthread_cond_init(made, nil))
    condition = made
    return made
  }

  @inlinable
  static func check(_ code: Int32) { if code != 0 { fail(code) } }

  @usableFromInline
  func failToLock(_ code: Int32) -> Never {
    if code == EDEADLK { fatalError("\(reentryRemedy)") }
    Self.fail(code)
  }

  @usableFromInline
  static func fail(_ code: Int32) -> Never {
    fatalError("A POSIX lock call failed with error code \(code).")
  }
}

extension UnsafeMutablePointer<LockPrimitives> {
  /// Creates the objects at their final address.
  func initialize(reentryRemedy: StaticString) {
    initialize(to: LockPrimitives(reentryRemedy: reentryRemedy))
    var attributes = pthread_mutexattr_t()
    LockPrimitives.check(pthread_mutexattr_init(&attributes))
    LockPrimitives.check(pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK)))
    LockPrimitives.check(pthread_mutex_init(&pointee.mutex, &attributes))
    LockPrimitives.check(pthread_mutexattr_destroy(&attributes))
  }

  /// Destroys the objects.
  func destroy() {
    if let condition = pointee.condition {
      pthread_cond_destroy(condition)
      condition.deallocate()
    }
    pthread_mutex_destroy(&pointee.mutex)
    deinitialize(count: 1)
  }
}
