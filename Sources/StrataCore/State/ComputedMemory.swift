import StrataBase

/// The results of the computed properties of a store's state, for every place in it where a state with
/// such properties occurs.
final class ComputedMemory: Sendable {
  /// A place: a path from the store's state, and the type of state that is there.
  private struct Place: Hashable {
    let path: AnyKeyPath?
    let type: ObjectIdentifier
  }

  private let extensions = Lock<[Place: any Sendable]>([:])

  /// The properties of the state at a path, created on first use.
  ///
  /// The identity path counts as no path.
  func properties<State: ExtendedStateType>(
    of type: State.Type,
    at path: AnyKeyPath?
  ) -> ComputedProperties<State> {
    extensions.withLock { extensions in
      let path = path == \State.self ? nil : path
      let place = Place(path: path, type: ObjectIdentifier(type))
      if let known = extensions[place] as? ComputedProperties<State> { return known }
      let properties = ComputedProperties<State>()
      extensions[place] = properties
      return properties
    }
  }
}

/// Where the results of a value's computed properties are stored.
@usableFromInline
struct ComputedPlace: Sendable {
  let memory: ComputedMemory
  /// From the store's state to the value; nil for the state itself.
  var path: (any AnyKeyPath & Sendable)?

  /// The place of a part of the value.
  ///
  /// Nil when the path to the value cannot be extended.
  func appending<Root, Value>(_ part: PartPath<Root, Value>) -> ComputedPlace? {
    guard let path else { return ComputedPlace(memory: memory, path: part) }
    guard let joined = (path as AnyKeyPath).appending(path: part as AnyKeyPath) else { return nil }
    // Both parts are `Sendable`, so the whole is too; the marker has no representation.
    return ComputedPlace(
      memory: memory,
      path: unsafeBitCast(joined, to: (any AnyKeyPath & Sendable).self)
    )
  }
}
