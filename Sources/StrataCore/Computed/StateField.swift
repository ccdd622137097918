/// Kinds of fields of a state that are not stored in it.
public enum StateField<State: ExtendedStateType> {}

extension StateField {
  /// A property computed from the state, and remembered.
  ///
  /// It is computed when it is first asked for, and again only when it is asked for and its source
  /// has changed: the part that ``ifChanged(selector:)`` selects, whatever
  /// ``dropsInput(while:)`` lets pass, or without either any new version. However many readers on
  /// however many threads ask about one change, it is computed once; the others wait for it.
  /// The store remembers the two results used last, so a version and the one before it can be
  /// compared without computing either twice.
  ///
  /// The closures must be pure: no commit, and nothing that waits for another thread. A property
  /// that asks for itself, directly or through others, never ends.
  public struct Computed<Output: Sendable>: Sendable {
    /// Stands for this property among all the properties a store remembers.
    final class Identity: Sendable {}

    /// Says of a later version that what was computed from an earlier one still holds.
    typealias Verdict = @Sendable (Changes<State>) -> Bool

    let identity: Identity
    let compute: @Sendable (Changes<State>) -> Output
    /// Each looks at the version a result is computed from, and keeps what its verdict needs.
    private(set) var filters: [@Sendable (Changes<State>) -> Verdict] = []

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

  /// A property that is a function of a part of the state, and computed anew when the part changes.
  public init<Part: Equatable & Sendable>(
    derive: @escaping @Sendable (State) -> Part,
    compute: @escaping @Sendable (Part) -> Output
  ) {
    self = Self { compute(derive($0)) }.ifChanged(selector: derive)
  }

  /// Keeps what was computed while the selected part of the state is equal.
  ///
  /// Costs one `==` of the part for each version that is asked about. The part it was computed from
  /// is kept.
  public func ifChanged<Part: Equatable & Sendable>(
    selector: @escaping @Sendable (State) -> Part
  ) -> Self {
    filtered { input in
      let part = selector(input.value)
      return { selector($0.value) == part }
    }
  }

  /// Keeps what was computed while the predicate says that the difference does not matter.
  ///
  /// The predicate sees each version that the property is asked for, with the one the result was
  /// computed from as the previous one. That state is kept.
  public func dropsInput(while predicate: @escaping @Sendable (Changes<State>) -> Bool) -> Self {
    filtered { input in
      let before = input.value
      return { later in
        // The two may lie far apart, so what is remembered of neighbouring versions does not apply.
        predicate(later.replacing(value: later.value, previous: before))
      }
    }
  }

  private func filtered(
    _ filter: @escaping @Sendable (Changes<State>) -> Verdict
  ) -> Self {
    var copy = self
    copy.filters.append(filter)
    return copy
  }
}
