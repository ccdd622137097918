#if canImport(Darwin)
  public import Darwin
#elseif canImport(Musl)
  public import Musl
#else
  public import Glibc
#endif

/// The own bytes of values that are held, so that equal bytes mean equal values.
@usableFromInline
package enum HeldBytes {
  /// Whether two values have equal bytes.
  ///
  /// Values with other bytes may be equal too: a text that was put together twice, or a copy with
  /// something else in the gaps between fields. O(size of the values' own bytes), never of what they
  /// refer to.
  @inlinable
  package static func areEqual<Value>(_ a: Value, _ b: Value) -> Bool {
    withUnsafeBytes(of: a) { a in withUnsafeBytes(of: b) { b in areEqual(a[...], b[...]) } }
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
