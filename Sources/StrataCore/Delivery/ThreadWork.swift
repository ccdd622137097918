import Foundation

#if canImport(Darwin)
  public import Darwin
#elseif canImport(Musl)
  public import Musl
#else
  public import Glibc
#endif

/// What the running thread does for stores.
@usableFromInline
enum ThreadWork {
  /// The key of how many edits and deliveries a thread is inside of, of any store.
  @usableFromInline static let key = makeKey()

  private static func makeKey() -> pthread_key_t {
    var key = pthread_key_t()
    let code = pthread_key_create(&key) { free($0) }
    precondition(code == 0, "The system has no more keys for values of threads.")
    return key
  }

  /// How many edits and deliveries the thread is inside of.
  ///
  /// Its memory belongs to the thread, so no other one accesses it. A few nanoseconds.
  @inlinable static var depth: UnsafeMutablePointer<Int> {
    if let known = pthread_getspecific(key) { return known.assumingMemoryBound(to: Int.self) }
    return makeDepth()
  }

  /// The innermost edit of the thread, for ``EditOrder``; nil in release builds.
  static var edit: UnsafeMutablePointer<UnsafeMutableRawPointer?> {
    UnsafeMutableRawPointer(depth + 1).assumingMemoryBound(to: UnsafeMutableRawPointer?.self)
  }

  @usableFromInline
  static func makeDepth() -> UnsafeMutablePointer<Int> {
    guard let memory = malloc(2 * MemoryLayout<Int>.size) else {
      preconditionFailure("A thread has no memory for its depth.")
    }
    let depth = memory.initializeMemory(as: Int.self, to: 0)
    UnsafeMutableRawPointer(depth + 1).initializeMemory(
      as: UnsafeMutableRawPointer?.self,
      to: nil
    )
    pthread_setspecific(key, memory)
    return depth
  }

  /// The running thread; another one may have the same number after its end.
  @inlinable static var thread: UInt {
    #if canImport(Darwin)
      UInt(bitPattern: pthread_self())
    #else
      UInt(pthread_self())
    #endif
  }

  /// Whether the running code may wait for subscribers.
  ///
  /// Not on the main thread, which draws, and not inside an edit or a delivery, for which others may wait.
  static var mayWait: Bool {
    depth.pointee == 0 && !Thread.isMainThread && !MainTurns.isOnMain
  }
}
