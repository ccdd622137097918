/// A state with computed properties whose results are stored.
///
/// ```swift
/// struct MyState: ExtendedStateType {
///   var name = ""
///   var items: [Int] = []
///
///   struct Extended: ExtendedType {
///     let largeItems = Field.Computed<[Int]> { $0.items.filter { $0 > 300 } }
///       .ifChanged(selector: \.items)
///   }
/// }
///
/// store.changes.computed.largeItems
/// ```
///
/// A property is computed on first access. The store keeps the result until its source changes, however
/// many versions pass in between; see ``StateField/Computed``.
public protocol ExtendedStateType: StateType {
  /// The type whose stored properties are the computed properties of the state.
  associatedtype Extended: ExtendedType
}

extension ExtendedStateType {
  /// The namespace of `Computed`, written `Field.Computed` inside the state.
  public typealias Field = StateField<Self>
}

/// The computed properties of a state, as stored properties of a type of their own.
///
/// Each store creates one instance of it for each place where the state occurs.
public protocol ExtendedType: Sendable {
  /// Creates the properties.
  init()
}
