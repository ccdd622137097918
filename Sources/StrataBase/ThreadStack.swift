#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The stack of the calling thread.
///
/// A recursion whose depth is that of a user's data asks it for room before each level. On Apple's systems all threads but the
/// main one have 512 KB, in which a debug build has room for about fifty structs in each other.
package enum ThreadStack {
  /// What a level and all that it calls may take, in bytes.
  private static let reserve: UInt = 96 << 10

  /// The key of the lowest address of a thread's stack.
  private static let key = makeKey()
  /// The key of how often a thread had no room.
  private static let refusalsKey = makeKey()

  private static func makeKey() -> pthread_key_t? {
    var key = pthread_key_t()
    return pthread_key_create(&key, nil) == 0 ? key : nil
  }

  /// Whether there is room for one more level; true where the system does not say where the stack ends.
  ///
  /// O(1): some nanoseconds, but for the first call of a thread.
  package static var hasRoom: Bool {
    guard let lowest else { return true }
    var local: UInt8 = 0
    let here = withUnsafeMutablePointer(to: &local) { UInt(bitPattern: $0) }
    // An address below the stack is in no stack of the system: a sanitizer keeps locals elsewhere.
    if here < lowest || here - lowest > reserve { return true }
    if let refusalsKey {
      pthread_setspecific(refusalsKey, UnsafeRawPointer(bitPattern: refusals &+ 1))
    }
    return false
  }

  /// How often the thread had no room: a caller notices a refusal whose error somebody has caught.
  package static var refusals: UInt {
    guard let refusalsKey else { return 0 }
    return UInt(bitPattern: pthread_getspecific(refusalsKey))
  }

  private static var lowest: UInt? {
    guard let key else { return nil }
    if let known = pthread_getspecific(key) {
      let address = UInt(bitPattern: known)
      return address == 1 ? nil : address
    }
    let address = lowestOfSystem()
    // 1 stands for an unknown end.
    pthread_setspecific(key, UnsafeRawPointer(bitPattern: address ?? 1))
    return address
  }

  private static func lowestOfSystem() -> UInt? {
    #if canImport(Darwin)
      let thread = pthread_self()
      return UInt(bitPattern: pthread_get_stackaddr_np(thread))
        - UInt(pthread_get_stacksize_np(thread))
    #else
      // Not declared for Swift, as it is an extension of the C library.
      typealias Attributes =
        @convention(c) (pthread_t, UnsafeMutablePointer<pthread_attr_t>) -> Int32
      guard let function = dlsym(nil, "pthread_getattr_np") else { return nil }
      return withUnsafeTemporaryAllocation(of: pthread_attr_t.self, capacity: 1) { buffer in
        guard let attributes = buffer.baseAddress,
          unsafeBitCast(function, to: Attributes.self)(pthread_self(), attributes) == 0
        else { return nil }
        defer { pthread_attr_destroy(attributes) }
        var start: UnsafeMutableRawPointer?
        var size = 0
        guard pthread_attr_getstack(attributes, &start, &size) == 0, let start else { return nil }
        return UInt(bitPattern: start)
      }
    #endif
  }
}
