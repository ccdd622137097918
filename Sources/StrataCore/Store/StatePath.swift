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
