/// A version of a value as a subscriber sees it: the value, the one before it, and who changed it.
///
/// ```swift
/// store.sinkState { changes in
///   changes.ifChanged(\.count) { count in print(count) }
/// }
/// ```
///
/// Exactly one previous value is kept. Without one (version 0, and the first delivery to a new
/// subscriber) everything counts as changed. A commit that changes nothing makes no version, so the
/// comparison is always with the last commit that changed something.
@dynamicMemberLookup
public struct Changes<Value: Sendable>: Sendable {
  // The library reads these; the public properties also note what a closure reads.
  @usableFromInline let storedValue: Value
  @usableFromInline let storedPrevious: Value?
  @usableFromInline let storedVersion: UInt64
  @usableFromInline let storedTraces: [CommitTrace]
  @usableFromInline let storedAttachments: CommitAttachments

  /// Where the results of the value's computed properties are stored; nil when they are not.
  @usableFromInline let computedPlace: ComputedPlace?
  /// Where reads are noted; nil when they are not.
  @usableFromInline let readPlace: ReadPlace?

  /// Creates the changes from an old value to a new one, for the test of code that receives changes.
  ///
  /// ```swift
  /// screen.update(changes: Changes(old: before, new: after))
  /// screen.update(changes: Changes(old: nil, new: after))   // as the first delivery
  /// ```
  ///
  /// A store makes its own.
  public init(old: Value?, new: Value, version: UInt64 = 1, traces: [CommitTrace] = []) {
    self.init(
      value: new,
      previous: old,
      version: version,
      traces: traces,
      attachments: .init(),
      computedPlace: ComputedPlace(memory: ComputedMemory())
    )
  }

  /// The first version of a store.
  @usableFromInline
  init(initial value: Value) {
    self.init(
      value: value,
      previous: nil,
      version: 0,
      traces: [],
      attachments: .init(),
      computedPlace: ComputedPlace(memory: ComputedMemory())
    )
  }

  @inlinable
  init(
    value: Value,
    previous: Value?,
    version: UInt64,
    traces: [CommitTrace],
    attachments: CommitAttachments,
    computedPlace: ComputedPlace?,
    readPlace: ReadPlace? = nil
  ) {
    storedValue = value
    storedPrevious = previous
    storedVersion = version
    storedTraces = traces
    storedAttachments = attachments
    self.computedPlace = computedPlace
    self.readPlace = readPlace
  }

  /// The value at this version.
  @inlinable
  public var value: Value {
    readPlace?.noteValue()
    return storedValue
  }

  /// The value at the version before, or nil when there is none to compare with.
  @inlinable
  public var previous: Value? {
    readPlace?.noteEverything()
    return storedPrevious
  }

  /// How many commits the store has seen; 0 is the state it was created with.
  @inlinable
  public var version: UInt64 {
    readPlace?.noteEverything()
    return storedVersion
  }

  /// Who made this version: the commit, then the actions that led to it, the innermost first; empty at
  /// version 0.
  @inlinable
  public var traces: [CommitTrace] {
    readPlace?.noteEverything()
    return storedTraces
  }

  /// What the hooks of the store computed for this commit.
  @inlinable
  public var attachments: CommitAttachments {
    readPlace?.noteEverything()
    return storedAttachments
  }

  /// Who wanted the commit and why; nil if that is not known.
  public var context: CommitContext? { traces.first?.context }

  /// A property of the value.
  public subscript<T>(dynamicMember keyPath: KeyPath<Value, T>) -> T {
    readPlace?.note(keyPath)
    return storedValue[keyPath: keyPath]
  }
}

extension Changes {
  /// The same version of other values.
  @inlinable
  func replacing<Other: Sendable>(
    value: Other,
    previous: Other?,
    computedPlace: ComputedPlace? = nil
  ) -> Changes<Other> {
    Changes<Other>(
      value: value,
      previous: previous,
      version: storedVersion,
      traces: storedTraces,
      attachments: storedAttachments,
      computedPlace: computedPlace
    )
  }

  /// The same changes, whose reads are noted.
  func tracked(by place: ReadPlace) -> Changes {
    Changes(
      value: storedValue,
      previous: storedPrevious,
      version: storedVersion,
      traces: storedTraces,
      attachments: storedAttachments,
      computedPlace: computedPlace,
      readPlace: place
    )
  }

  func replacingValue(with value: Value) -> Changes {
    replacing(value: value, previous: storedPrevious, computedPlace: computedPlace)
  }

  /// The version before this one, as far as it is known.
  var before: Changes? {
    guard let previous else { return nil }
    var place: ComputedPlace?
    if let computedPlace, computedPlace.previous != nil {
      place = ComputedPlace(memory: computedPlace.memory, path: computedPlace.path)
    }
    return Changes(
      value: previous,
      previous: nil,
      version: computedPlace?.previous ?? version &- 1,
      traces: [],
      attachments: .init(),
      computedPlace: place
    )
  }

  /// The same version without a previous value, so that everything counts as changed.
  public func droppedPrevious() -> Changes {
    replacing(value: value, previous: nil, computedPlace: computedPlace)
  }
}

extension Changes {
  /// The same version, seen through a function of the value.
  ///
  /// Costs two calls of `transform`. Computed properties of the result are computed on each read; `map`
  /// with a key path keeps their stored results.
  public func map<T: Sendable, E: Error>(
    _ transform: (Value) throws(E) -> T
  ) throws(E) -> Changes<T> {
    var before: T?
    if let previous { before = try transform(previous) }
    return replacing(value: try transform(value), previous: before)
  }

  /// The same version of a part of the value.
  ///
  /// Costs two reads of the part.
  public func map<T: Sendable>(_ part: PartPath<Value, T>) -> Changes<T> {
    let changes = replacing(
      value: storedValue[keyPath: part],
      previous: storedPrevious?[keyPath: part],
      computedPlace: computedPlace?.appending(part)
    )
    guard let place = readPlace?.part(part) else { return changes }
    return changes.tracked(by: place)
  }

  /// The same version of a part that may be absent; nil while it is.
  ///
  /// Its previous value is nil when it was absent before; then everything counts as changed.
  public func mapIfPresent<T: Sendable>(_ part: PartPath<Value, T?>) -> Changes<T>? {
    guard let present = value[keyPath: part] else { return nil }
    return replacing(value: present, previous: previous.flatMap { $0[keyPath: part] })
  }
}

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
