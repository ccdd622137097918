/// A version of a value as an object, so that passing and keeping it copies nothing.
@usableFromInline
final class Version<Value: Sendable>: Sendable {
  @usableFromInline let changes: Changes<Value>

  @inlinable
  init(_ changes: Changes<Value>) { self.changes = changes }

  @inlinable var value: Value { changes.storedValue }

  /// The version of the store's state.
  @inlinable var number: UInt64 { changes.storedVersion }

  /// The same version of another value and its previous value.
  @inlinable
  func of<Other: Sendable>(_ value: Other, after previous: Other?) -> Version<Other> {
    Version<Other>(changes.replacing(value: value, previous: previous))
  }
}
