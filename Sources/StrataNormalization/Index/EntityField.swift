/// A field of an entity as an index uses it: its name in errors, and how to read it.
@usableFromInline
struct EntityField<Entity: EntityType, Value: SendableMetatype>: Sendable {
  /// The name, such as `email` or `address.city`; nil for a computed property, whose key path has none.
  @usableFromInline let name: String?
  @usableFromInline let read: @Sendable (Entity) -> Value

  @inlinable
  init(_ path: any KeyPath<Entity, Value> & Sendable) {
    name = Self.name(of: path)
    // Reading a stored field at its place costs as much as reading it directly; a key path costs several
    // times that.
    if let offset = MemoryLayout<Entity>.offset(of: path) {
      read = { entity in
        withUnsafeBytes(of: entity) { $0.load(fromByteOffset: offset, as: Value.self) }
      }
    } else {
      read = { $0[keyPath: path] }
    }
  }

  /// A key path prints as `\User.address.city`, a computed part of it as `<computed …>`.
  @usableFromInline
  static func name(of path: AnyKeyPath) -> String? {
    let (text, root) = ("\(path)", "\\\(Entity.self).")
    guard text.hasPrefix(root) else { return nil }
    var name = text.dropFirst(root.count)
    while name.last == "?" { name.removeLast() }
    return name.isEmpty || name.contains("<") ? nil : String(name)
  }
}

extension EntityIndex {
  /// The same key, but nil for one that is not equal to itself (NaN): no index could find it again.
  @inlinable
  static func equalToItself<Key: Equatable & SendableMetatype>(
    _ key: @escaping @Sendable (Entity) -> Key?
  ) -> @Sendable (Entity) -> Key? {
    { key($0).flatMap { $0 == $0 ? $0 : nil } }
  }

  /// The name of an index that was given none and is not made of a stored field.
  @usableFromInline
  static func nameless(_ key: Any.Type) -> String { "unnamed (\(key))" }
}
