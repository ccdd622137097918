/// A state with computed properties that remember what they computed.
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
/// A property is computed on first access and then remembered by the store until its source
/// changes, however many versions nobody asked in between; see ``StateField/Computed``.
public protocol ExtendedStateType: StateType {
  /// The type whose stored properties are the computed properties of the state.
  associatedtype Extended: ExtendedType
}

extension ExtendedStateType {
  /// Where `Computed` is, written `Field.Computed` inside the state.
  public typealias Field = StateField<Self>
}

/// The computed properties of a state, as stored properties of a type of their own.
///
/// Each store makes one instance of it for each place where the state occurs.
public protocol ExtendedType: Sendable {
  /// Creates the properties.
  init()
}
