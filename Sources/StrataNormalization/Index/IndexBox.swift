/// The contents of one index of a table, with their type erased.
///
/// The conformance to `Sendable` is unchecked because the value of a ``TypedIndexBox`` is changed in
/// place, but only through the only reference to the box.
@usableFromInline
class IndexBox: @unchecked Sendable {
  @usableFromInline
  init() {}
}

/// The contents of one index of a table.
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
