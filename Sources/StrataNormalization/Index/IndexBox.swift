/// What a table knows for one of its indexes, whatever that is.
///
/// Unchecked, because the value of a ``TypedIndexBox`` is changed in place: only ever through the
/// one reference to the box.
@usableFromInline
class IndexBox: @unchecked Sendable {
  @usableFromInline
  init() {}
}

/// What a table knows for an index of a known type.
@usableFromInline
final class TypedIndexBox<Value: Sendable>: IndexBox, @unchecked Sendable {
  @usableFromInline var value: Value

  @inlinable
  init(_ value: Value) { self.value = value }

  /// The value in a box of this type.
  @inlinable
  static func value(in box: IndexBox) -> Value { unsafeDowncast(box, to: Self.self).value }

  /// Changes the value in a box of this type, which is copied first if it is shared.
  @inlinable
  static func change(_ box: inout IndexBox, _ body: (inout Value) -> Void) {
    if !isKnownUniquelyReferenced(&box) { box = TypedIndexBox(value(in: box)) }
    body(&unsafeDowncast(box, to: Self.self).value)
  }
}
