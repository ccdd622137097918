/// The state of a store: one value that holds everything, copied and compared like any other.
///
/// ```swift
/// struct AppState: StateType {
///   var count = 0
/// }
/// ```
///
/// Make the parts that dispatchers are scoped to *stored* properties: a key path through a computed
/// property copies its value on every commit.
public protocol StateType: Sendable {}

/// The state of a store whose commits may be refused: by the rules of a database, by middleware, or by a
/// file that was closed.
///
/// ```swift
/// struct AppState: RuledStateType {
///   var db = Database()       // has unique indexes and references
/// }
///
/// do {
///   try store.commit { $0.db.users.insert(ada) }
/// } catch let violation as RuleViolation {
///   show(violation)
/// }
/// ```
///
/// Every commit to such a state is `throws` in its type: `commit` in each form, `accept`, the commits
/// of a ``DispatcherContext``, also where the closure itself cannot throw. So the compiler asks for
/// `try`. An action that commits is a `ThrowingAction`.
///
/// A function that is generic over any ``DispatcherType`` does not know that the state is ruled, and
/// calls the form for other states: see <doc:RefusedCommits>.
public protocol RuledStateType: StateType {}

/// The path to a part of a state: a writable key path that may cross threads.
///
/// A literal such as `\.loggedIn` is one. Use stored properties only: a key path through a computed
/// property copies its value on every commit.
public typealias StatePath<Root, Value> = any WritableKeyPath<Root, Value> & Sendable

/// The path made of `path` followed by `rest`.
func appending<Root, Value, Part>(
  _ rest: StatePath<Value, Part>,
  to path: StatePath<Root, Value>
) -> StatePath<Root, Part> {
  let joined = (path as WritableKeyPath<Root, Value>)
    .appending(path: rest as WritableKeyPath<Value, Part>)
  // `Sendable` has no representation at run time, so both types have the same one. Both parts are
  // `Sendable`, so the whole is too. The standard library has no overload that says so.
  return unsafeBitCast(joined, to: StatePath<Root, Part>.self)
}

/// The path to a part of a value that is only read: a key path that may cross threads.
public typealias PartPath<Root, Value> = any KeyPath<Root, Value> & Sendable

/// The read-only path made of `path` followed by `part`.
func joining<Root, Value, Part>(
  _ path: StatePath<Root, Value>,
  _ part: PartPath<Value, Part>
) -> PartPath<Root, Part> {
  let joined = (path as KeyPath<Root, Value>).appending(path: part as KeyPath<Value, Part>)
  // As above: `Sendable` has no representation, and both parts are `Sendable`.
  return unsafeBitCast(joined, to: PartPath<Root, Part>.self)
}
