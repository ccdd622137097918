#if canImport(Darwin)
  public import Darwin
#elseif canImport(Musl)
  public import Musl
#else
  public import Glibc
#endif

/// Equality by bytes, of values that are both held: then equal bytes mean equal values.
@usableFromInline
package enum BitwiseEquality {
  /// Whether two values have equal bytes.
  ///
  /// Values with different bytes may be equal too: a text that was built twice, or a copy with other
  /// bytes in the padding between fields. O(size of the values' own bytes), never of what they refer to.
  @inlinable
  package static func areEqual<Value>(_ a: Value, _ b: Value) -> Bool {
    withUnsafeBytes(of: a) { a in withUnsafeBytes(of: b) { b in areEqual(a[...], b[...]) } }
  }

  /// Whether two values in place have equal bytes.
  @inlinable
  package static func areEqual<Value>(
    _ a: UnsafePointer<Value>,
    _ b: UnsafeMutablePointer<Value>
  ) -> Bool {
    memcmp(a, b, MemoryLayout<Value>.size) == 0
  }

  /// Whether two parts of values, of the same size, have equal bytes.
  @inlinable
  static func areEqual(
    _ a: Slice<UnsafeRawBufferPointer>,
    _ b: Slice<UnsafeRawBufferPointer>
  ) -> Bool {
    let (a, b) = (UnsafeRawBufferPointer(rebasing: a), UnsafeRawBufferPointer(rebasing: b))
    guard let start = a.baseAddress, let other = b.baseAddress else { return true }
    return memcmp(start, other, a.count) == 0
  }
}
