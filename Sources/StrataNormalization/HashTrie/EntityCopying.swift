extension UnsafeMutablePointer {
  /// Copies values to uninitialized memory, including their padding.
  ///
  /// A plain copy leaves the padding between fields unspecified. With the padding copied, a value and
  /// its copy have equal bytes, whatever the type.
  @inlinable
  func initializeBytes(from source: UnsafeMutablePointer, count: Int) {
    initialize(from: source, count: count)
    let bytes = count &* MemoryLayout<Pointee>.stride
    UnsafeMutableRawPointer(self).copyMemory(from: source, byteCount: bytes)
  }

  /// Whether the value here and another have the same bytes.
  ///
  /// While both are held, equal bytes mean an equal value: storage that both refer to is shared, so it
  /// was neither changed in place nor freed and reused. Unequal bytes mean nothing.
  @inlinable
  func hasBytes(of other: UnsafeMutablePointer) -> Bool {
    let size = MemoryLayout<Pointee>.size
    let (a, b) = (UnsafeRawPointer(self), UnsafeRawPointer(other))
    var offset = 0
    while offset &+ 8 <= size {
      let word = a.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      if word != b.loadUnaligned(fromByteOffset: offset, as: UInt64.self) { return false }
      offset &+= 8
    }
    while offset < size {
      if a.load(fromByteOffset: offset, as: UInt8.self)
        != b.load(fromByteOffset: offset, as: UInt8.self)
      {
        return false
      }
      offset &+= 1
    }
    return true
  }
}
