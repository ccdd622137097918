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

/// The kinds of fields of a state that are not stored in it.
public enum StateField<State: ExtendedStateType> {}

extension StateField {
  /// A property that is computed from the state and stored.
  ///
  /// It is computed on first access, and again only on an access after its source has changed. The
  /// source is the part that ``ifChanged(selector:)`` selects, or what ``dropsInput(while:)`` does not
  /// drop, or without either the whole state. However many readers on however many threads read it
  /// after one change, it is computed once; the others wait. The store keeps the two results used last,
  /// so a version and the one before it can be compared without computing either twice.
  ///
  /// The closures must be pure: no commit, and nothing that waits for another thread. A property that
  /// reads itself, directly or through others, never ends.
  public struct Computed<Output: Sendable>: Sendable {
    /// The identity of this property among all the properties of a store.
    final class Identity: Sendable {}

    /// Whether a result that was computed from an earlier version holds for a later one.
    typealias Check = @Sendable (Changes<State>) -> Bool

    let identity: Identity
    let compute: @Sendable (Changes<State>) -> Output
    // Each gets the version a result is computed from, and returns a check that holds what it needs.
    /// A result holds while all of these are equal.
    private var selections: [@Sendable (Changes<State>) -> Check] = []
    /// A result holds while one of these does.
    private var drops: [@Sendable (Changes<State>) -> Check] = []

    private init(input compute: @escaping @Sendable (Changes<State>) -> Output) {
      identity = Identity()
      self.compute = compute
    }
  }
}

extension StateField.Computed {
  /// A property that is a function of the state.
  public init(_ compute: @escaping @Sendable (State) -> Output) {
    self.init(input: { compute($0.value) })
  }

  /// A property that is a function of the state and of its other computed properties.
  public init(_ compute: @escaping @Sendable (State, ComputedValues<State>) -> Output) {
    self.init(input: { compute($0.value, $0.computed) })
  }

  /// A property that is a function of a part of the state, computed again when the part changes.
  public init<Part: Equatable & Sendable>(
    derive: @escaping @Sendable (State) -> Part,
    compute: @escaping @Sendable (Part) -> Output
  ) {
    self = Self { compute(derive($0)) }.ifChanged(selector: derive)
  }

  /// Keeps the result while the selected part of the state is equal; with several, while each of them is.
  ///
  /// Costs one `==` of the part for each version at which it is read. The part the result was computed
  /// from is kept.
  public func ifChanged<Part: Equatable & Sendable>(
    selector: @escaping @Sendable (State) -> Part
  ) -> Self {
    var copy = self
    copy.selections.append { input in
      let part = selector(input.value)
      return { selector($0.value) == part }
    }
    return copy
  }

  /// Keeps the result while the predicate returns true: the difference of the state does not matter.
  ///
  /// The predicate gets each version at which the property is read, with the state the result was
  /// computed from as the previous value. That state is kept. Of several predicates, each keeps the
  /// result on its own, also beside `ifChanged`.
  public func dropsInput(while predicate: @escaping @Sendable (Changes<State>) -> Bool) -> Self {
    var copy = self
    copy.drops.append { input in
      let before = input.value
      return { later in
        // The two may be far apart, so what is stored for neighbouring versions does not apply.
        predicate(later.replacing(value: later.value, previous: before))
      }
    }
    return copy
  }

  /// Whether a result that is computed from these changes holds for later ones.
  func check(from changes: Changes<State>) -> Check {
    let selections = selections.map { $0(changes) }
    let drops = drops.map { $0(changes) }
    return { later in
      !selections.isEmpty && selections.allSatisfy { $0(later) } || drops.contains { $0(later) }
    }
  }
}
