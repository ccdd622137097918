#if canImport(Darwin)
  public import Darwin
#elseif canImport(Musl)
  public import Musl
#else
  public import Glibc
#endif

/// Whether an edit changed a value, as far as its bytes show.
@usableFromInline
enum EditEffect {
  /// Every byte of the value is unchanged.
  case nothing
  /// Some byte differs.
  case something
}

extension EditEffect {
  /// Runs `edit` on the value, compares its bytes before and after, and reports a difference.
  ///
  /// A copy of the value must be held elsewhere meanwhile. Then equal bytes mean an equal value:
  /// heap storage that both refer to is shared, so it was neither changed in place nor freed and
  /// reused. Both reads are of the same memory, so padding between fields is compared with itself.
  /// O(size of the value's own bytes), never of what it refers to.
  @inlinable
  static func observe<Value, R>(
    editing value: inout Value,
    reporting effect: inout EditEffect,
    _ edit: (inout Value) -> R
  ) -> R {
    withUnsafeMutablePointer(to: &value) { place in
      let size = MemoryLayout<Value>.size
      return withUnsafeTemporaryAllocation(byteCount: size, alignment: 1) { before in
        before.copyMemory(from: UnsafeRawBufferPointer(start: place, count: size))
        let result = edit(&place.pointee)
        if size > 0, let start = before.baseAddress, memcmp(start, place, size) != 0 {
          effect = .something
        }
        return result
      }
    }
  }
}
