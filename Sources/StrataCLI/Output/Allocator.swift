#if canImport(Glibc)
  import Glibc
#endif

/// The allocator of this process.
enum Allocator {
  /// Returns memory to the system once it is free, for a command that runs as long as a person looks.
  ///
  /// The GNU C library has a heap for each thread, and keeps up to 64 MB free in each after large blocks were
  /// freed: a server of several threads would keep the memory of the largest answer several times. Other
  /// allocators are left as they are.
  ///
  /// It counts for the whole process, so it is the command that calls it and not a library.
  static func returnFreedMemory() {
    #if canImport(Glibc)
      // Swift's module of the library lacks `malloc.h`.
      guard let symbol = dlsym(nil, "mallopt") else { return }
      typealias SetOption = @convention(c) (_ option: Int32, _ value: Int32) -> Int32
      let setOption = unsafeBitCast(symbol, to: SetOption.self)
      let (trimThreshold, mapThreshold, mostHeaps): (Int32, Int32, Int32) = (-1, -3, -8)
      _ = setOption(mostHeaps, 1)
      _ = setOption(trimThreshold, 128 << 10)
      _ = setOption(mapThreshold, 128 << 10)
    #endif
  }
}
