extension EntityTable: Equatable {
  /// Equal when they hold the same entities.
  ///
  /// If one was made by copying and changing the other, or both from a third, an entity that was written is the same if its
  /// memory is, field by field, whatever its `==` says. So tables without ``changes(from:)`` are equal, and those that
  /// differ in anything are not. Tables that were built separately are equal when they hold equal entities by `==`.
  ///
  /// O(different entities · log n) up to the first difference, and O(n) if they were built separately. An entity that was
  /// written again with an equal value is compared by reflection.
  public static func == (a: EntityTable, b: EntityTable) -> Bool {
    a.origin === b.origin
      ? a.storage.holdsTheSame(as: b.storage) {
        $0.hasBytes(of: $1) || haveSameFields($0.pointee, $1.pointee)
      }
      : a.storage.holdsTheSame(as: b.storage) { $0.pointee == $1.pointee }
  }
}

/// Whether two values of one type have the same memory, field by field.
///
/// A copy of a value has other bytes where the value has none of its own: in the padding between fields, and in the room
/// of an absent payload. Fields are compared by their bytes, texts by their UTF-8. A field that reflection does not show,
/// such as storage that a type hides, counts as different unless its bytes are equal.
private func haveSameFields(_ a: Any, _ b: Any) -> Bool {
  if _openExistential(a, do: hasBytes(of:))(b) { return true }
  if let a = a as? String, let b = b as? String { return a.utf8.elementsEqual(b.utf8) }
  let (fields, others) = (Mirror(reflecting: a), Mirror(reflecting: b))
  guard fields.children.count == others.children.count else { return false }
  switch fields.displayStyle {
  case .optional where fields.children.isEmpty: return true
  case .enum where fields.children.isEmpty:
    // Such a value has no other text than the name of its case.
    return !(a is any CustomStringConvertible) && !(a is any CustomDebugStringConvertible)
      && "\(a)" == "\(b)"
  case .optional, .collection: break
  case .struct, .tuple, .enum:
    if a is any CustomReflectable || fields.children.isEmpty { return false }
  default: return false
  }
  return zip(fields.children, others.children).allSatisfy {
    $0.label == $1.label && haveSameFields($0.value, $1.value)
  }
}

/// Whether another value is of the same type and has the same bytes.
private func hasBytes<Value>(of value: Value) -> (Any) -> Bool {
  { other in
    guard let other = other as? Value else { return false }
    return withUnsafeBytes(of: value) { a in withUnsafeBytes(of: other) { b in a.elementsEqual(b) }
    }
  }
}
