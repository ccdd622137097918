/// How a derived value is computed from its input.
///
/// ```swift
/// store.derived(.map(\.count))
/// store.derived(.map { $0.items.count })
/// ```
///
/// Prefer a key path where possible. One through stored properties costs nothing in a commit that
/// leaves its bytes unchanged, and requesting the same key path again returns the same ``Derived``.
///
/// A closure must be pure. The closure of `map` takes the value, as that of any other `map`, and is called
/// for each version of it. So chain it to the part that it needs:
///
/// ```swift
/// store.derived(.map(\.title)).chain(.map { $0.count })    // called when the title has changed
/// ```
///
/// The closure of ``mapChanges(_:)`` takes the ``Changes`` of the value, with its computed properties. One
/// that reads stored properties of a state directly, as `$0.title`, is called again only when the bytes of
/// one of them have changed. Whatever else it reads counts as the whole state: `$0.value`, `$0.previous`,
/// `$0.version`, `$0.computed`, a computed property. An entity table is one property: `$0.db` has changed
/// with every commit to the database. So follow an entity with `derived(from: id, in: \.db.users)` and chain
/// the closure to that.
public struct Pipeline<Input: Sendable, Output: Sendable>: Sendable {
  enum Projection: Sendable {
    case part(PartPath<Input, Output>)
    case function(@Sendable (Changes<Input>) -> Output)
  }

  let projection: Projection
  private(set) var dropsInput: (@Sendable (Changes<Input>) -> Bool)?

  init(_ projection: Projection) { self.projection = projection }
}

extension Pipeline {
  /// A part of the input.
  public static func map(_ part: PartPath<Input, Output>) -> Pipeline { Pipeline(.part(part)) }

  /// The result of a function of the input, called for each version of it; see ``Pipeline``.
  public static func map(_ function: @escaping @Sendable (Input) -> Output) -> Pipeline {
    mapChanges { function($0.value) }
  }

  /// The result of a function of the input's `Changes`.
  ///
  /// It can read properties and computed properties alike: `.mapChanges { $0.computed.unread.count }`. Its
  /// result may not depend on the previous value. If its results are compared with `==`, it is called again
  /// only when a property that it has read has changed; see ``Pipeline``.
  public static func mapChanges(
    _ function: @escaping @Sendable (Changes<Input>) -> Output
  ) -> Pipeline {
    Pipeline(.function(function))
  }

  /// Names what a closure over `Changes` is written with now.
  @available(
    *,
    unavailable,
    renamed: "mapChanges(_:)",
    message: "The closure of map takes the value."
  )
  public static func map(
    _ function: @escaping @Sendable (Changes<Input>) -> Output
  ) -> Pipeline { mapChanges(function) }

  /// The result of a function of a part of the input, called again only when the part has changed.
  public static func map<Part: Equatable & Sendable>(
    derive: @escaping @Sendable (Input) -> Part,
    compute: @escaping @Sendable (Part) -> Output
  ) -> Pipeline {
    map { compute(derive($0)) }
      .dropsInput { input in
        guard let previous = input.previous else { return false }
        return derive(previous) == derive(input.value)
      }
  }

  /// Keeps the output while the predicate returns true: the difference of the input does not matter.
  ///
  /// The predicate gets the input of the kept output as the previous value. That input is kept too. Of
  /// several predicates, each keeps the output on its own.
  public func dropsInput(
    while predicate: @escaping @Sendable (Changes<Input>) -> Bool
  ) -> Pipeline {
    var copy = self
    copy.dropsInput = predicate
    if let first = dropsInput { copy.dropsInput = { first($0) || predicate($0) } }
    return copy
  }
}

extension Pipeline {
  /// The same for a whole of which the input is a part.
  func following<Whole>(_ path: StatePath<Whole, Input>) -> Pipeline<Whole, Output> {
    if path as AnyKeyPath == \Whole.self, let same = self as? Pipeline<Whole, Output> {
      return same
    }
    var whole: Pipeline<Whole, Output>
    switch projection {
    case .part(let part): whole = Pipeline<Whole, Output>(.part(joining(path, part)))
    case .function(let function):
      whole = Pipeline<Whole, Output>(.function { function($0.map(path)) })
    }
    if let dropsInput { whole.dropsInput = { dropsInput($0.map(path)) } }
    return whole
  }
}
