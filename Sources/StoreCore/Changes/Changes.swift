/// A version of a value as a subscriber sees it: the value, the one before it, and who changed it.
///
/// ```swift
/// store.sinkState { changes in
///   changes.ifChanged(\.count) { count in print(count) }
/// }
/// ```
///
/// One previous level is kept, never more. Without one (version 0, and the first delivery to a new
/// subscriber) everything counts as changed.
@dynamicMemberLookup
public struct Changes<Value: Sendable>: Sendable {
  /// The value at this version.
  public let value: Value
  /// The value at the version before, or nil when there is none to compare with.
  public let previous: Value?
  /// How many commits the store has seen; 0 is the state it was created with.
  public let version: UInt64
  /// Who made this version; empty at version 0.
  public let traces: [CommitTrace]
  /// What the hooks of the store computed for this commit.
  public let attachments: CommitAttachments

  init(initial value: Value) {
    self.init(value: value, previous: nil, version: 0, traces: [], attachments: .init())
  }

  init(_ edit: Edit<Value>) where Value: StateType {
    self.init(
      value: edit.state,
      previous: edit.previous,
      version: edit.version,
      traces: [edit.trace],
      attachments: edit.attachments
    )
  }

  private init(
    value: Value,
    previous: Value?,
    version: UInt64,
    traces: [CommitTrace],
    attachments: CommitAttachments
  ) {
    self.value = value
    self.previous = previous
    self.version = version
    self.traces = traces
    self.attachments = attachments
  }

  /// A property of the value.
  public subscript<T>(dynamicMember keyPath: KeyPath<Value, T>) -> T { value[keyPath: keyPath] }

  /// The same version, seen through a function of the value.
  ///
  /// Costs two calls of `transform`.
  public func map<T: Sendable, E: Error>(
    _ transform: (Value) throws(E) -> T
  ) throws(E) -> Changes<T> {
    var before: T?
    if let previous { before = try transform(previous) }
    return Changes<T>(
      value: try transform(value),
      previous: before,
      version: version,
      traces: traces,
      attachments: attachments
    )
  }

  /// The same version without a previous value, so that everything counts as changed.
  public func droppedPrevious() -> Changes {
    Changes(
      value: value,
      previous: nil,
      version: version,
      traces: traces,
      attachments: attachments
    )
  }

  func replacingValue(with value: Value) -> Changes {
    Changes(
      value: value,
      previous: previous,
      version: version,
      traces: traces,
      attachments: attachments
    )
  }
}
