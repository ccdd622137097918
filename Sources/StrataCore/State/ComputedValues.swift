/// The computed properties of one version of a state: `changes.computed.largeItems`.
@dynamicMemberLookup
public struct ComputedValues<State: ExtendedStateType>: Sendable {
  /// The path of a computed property.
  public typealias Property<Output: Sendable> =
    KeyPath<State.Extended, StateField<State>.Computed<Output>>

  private let changes: Changes<State>
  private let properties: ComputedProperties<State>

  init(of changes: Changes<State>) {
    self.changes = changes
    properties =
      changes.computedPlace.map { $0.memory.properties(of: State.self, at: $0.path) }
      ?? ComputedProperties()
  }

  /// A computed property: a stored result, or one computed now.
  ///
  /// O(1) plus the cost of its closures.
  public subscript<Output: Sendable>(dynamicMember property: Property<Output>) -> Output {
    properties.value(property, at: changes)
  }

  /// Whether the property differs from its previous value, or there is none.
  ///
  /// Costs one `==`, and computing what is not stored.
  public func hasChanges<Output: Equatable>(_ property: Property<Output>) -> Bool {
    guard let previous = changes.before else { return true }
    return ComputedValues(of: previous)[dynamicMember: property] != self[dynamicMember: property]
  }

  /// Calls `perform` with the property when it has changed.
  @discardableResult
  public func ifChanged<Output: Equatable, R, E: Error>(
    _ property: Property<Output>,
    _ perform: (Output) throws(E) -> R
  ) throws(E) -> R? {
    guard hasChanges(property) else { return nil }
    return try perform(self[dynamicMember: property])
  }

  /// Calls `perform` with both properties when either has changed.
  @discardableResult
  public func ifChanged<A: Equatable, B: Equatable, R, E: Error>(
    _ first: Property<A>,
    _ second: Property<B>,
    _ perform: (A, B) throws(E) -> R
  ) throws(E) -> R? {
    guard hasChanges(first) || hasChanges(second) else { return nil }
    return try perform(self[dynamicMember: first], self[dynamicMember: second])
  }
}

extension Changes where Value: ExtendedStateType {
  /// The computed properties at this version.
  ///
  /// O(1).
  public var computed: ComputedValues<Value> { ComputedValues(of: self) }
}
