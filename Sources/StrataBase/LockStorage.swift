#if canImport(Darwin)
  public import Darwin
#elseif canImport(Musl)
  public import Musl
#else
  public import Glibc
#endif

/// Where the value of a lock and the POSIX objects that guard it lie: one object on the heap, which
/// never moves.
@usableFromInline
final class LockStorage<Value>: ManagedBuffer<Value, LockPrimitives> {
  /// Gives the value, to be touched until ``unlock()``.
  @inlinable
  func lock() -> UnsafeMutablePointer<Value> {
    withUnsafeMutablePointers { value, primitives in
      let code = pthread_mutex_lock(&primitives.pointee.mutex)
      if code != 0 { primitives.pointee.refuse(code) }
      return value
    }
  }

  @inlinable
  func unlock() {
    withUnsafeMutablePointerToElements {
      LockPrimitives.check(pthread_mutex_unlock(&$0.pointee.mutex))
    }
  }

  /// Lets others in until one of them wakes this thread.
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

/// The POSIX objects of a lock, and what it traps with.
@usableFromInline
struct LockPrimitives {
  /// First, and so beside the value: what each locking touches is close together.
  @usableFromInline var mutex = pthread_mutex_t()
  /// What is waited for; made when somebody first does, as few locks are for waiting.
  private(set) var condition: UnsafeMutablePointer<pthread_cond_t>?
  let reentryRemedy: StaticString

  init(reentryRemedy: StaticString) { self.reentryRemedy = reentryRemedy }

  /// The condition; the mutex must be held.
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
  func refuse(_ code: Int32) -> Never {
    if code == EDEADLK { fatalError("\(reentryRemedy)") }
    Self.fail(code)
  }

  @usableFromInline
  static func fail(_ code: Int32) -> Never {
    fatalError("A POSIX lock call failed with code \(code).")
  }
}

extension UnsafeMutablePointer<LockPrimitives> {
  /// Creates the objects where they are to stay.
  func initialize(saying reentryRemedy: StaticString) {
    initialize(to: LockPrimitives(reentryRemedy: reentryRemedy))
    var attributes = pthread_mutexattr_t()
    LockPrimitives.check(pthread_mutexattr_init(&attributes))
    LockPrimitives.check(pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ERRORCHECK)))
    LockPrimitives.check(pthread_mutex_init(&pointee.mutex, &attributes))
    LockPrimitives.check(pthread_mutexattr_destroy(&attributes))
  }

  /// Gives them back.
  func destroy() {
    if let condition = pointee.condition {
      pthread_cond_destroy(condition)
      condition.deallocate()
    }
    pthread_mutex_destroy(&pointee.mutex)
    deinitialize(count: 1)
  }
}
