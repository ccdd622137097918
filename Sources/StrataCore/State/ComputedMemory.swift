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
///
/// A result for a committed version is stored under its number. A result for an edit is stored under the
/// number of the edit and of its writes; it becomes that of the version if the edit is committed as it
/// was then.
@usableFromInline
struct ComputedPlace: Sendable {
  let memory: ComputedMemory
  /// From the store's state to the value; nil for the state itself.
  var path: (any AnyKeyPath & Sendable)?
  /// The number of the edit that made the value, over all edits of the store, also refused ones; 0 for
  /// none.
  @usableFromInline var edit: UInt64 = 0
  /// How often stages had written to the value.
  @usableFromInline var writes: UInt64 = 0
  /// Whether the edit was not committed when the value was taken from it.
  var isInEdit = false
  /// The version under which the results for the previous value are stored; nil if they are not.
  @usableFromInline var previous: UInt64?

  /// The place of a part of the value.
  ///
  /// Nil when the path to the value cannot be extended.
  func appending<Root, Value>(_ part: PartPath<Root, Value>) -> ComputedPlace? {
    var place = self
    place.path = part
    guard let path else { return place }
    guard let joined = (path as AnyKeyPath).appending(path: part as AnyKeyPath) else { return nil }
    // Both parts are `Sendable`, so the whole is too; the marker has no representation.
    place.path = unsafeBitCast(joined, to: (any AnyKeyPath & Sendable).self)
    return place
  }

  /// The same place for the next edit of the value at `version`.
  @inlinable
  func next(edit: UInt64, after version: UInt64?) -> ComputedPlace {
    var place = self
    place.edit = edit
    place.writes = 0
    place.previous = version
    return place
  }

  /// The same place for a derived value after the one of another version.
  func after(_ version: UInt64?) -> ComputedPlace {
    var place = self
    place.previous = version
    return place
  }
}
