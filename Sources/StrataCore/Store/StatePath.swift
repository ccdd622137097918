/// Where a part of a state is: a writable key path that may cross threads.
///
/// A literal such as `\.loggedIn` is one. Lead it through stored properties: a key path through a
/// computed property copies what it leads to on every commit.
public typealias StatePath<Root, Value> = any WritableKeyPath<Root, Value> & Sendable

/// The path that follows `path` and then `rest`.
func appending<Root, Value, Part>(
  _ rest: StatePath<Value, Part>,
  to path: StatePath<Root, Value>
) -> StatePath<Root, Part> {
  let joined = (path as WritableKeyPath<Root, Value>)
    .appending(path: rest as WritableKeyPath<Value, Part>)
  // `Sendable` leaves no trace at run time, so both types have one representation; both parts are
  // `Sendable`, hence so is the whole. The standard library has no overload that says so.
  return unsafeBitCast(joined, to: StatePath<Root, Part>.self)
}

/// Where something to be read is in a value: a key path that may cross threads.
public typealias PartPath<Root, Value> = any KeyPath<Root, Value> & Sendable

/// The path to be read that follows `path` and then `part`.
func joining<Root, Value, Part>(
  _ path: StatePath<Root, Value>,
  _ part: PartPath<Value, Part>
) -> PartPath<Root, Part> {
  let joined = (path as KeyPath<Root, Value>).appending(path: part as KeyPath<Value, Part>)
  // As above: the marker has no representation, and both parts are `Sendable`.
  return unsafeBitCast(joined, to: PartPath<Root, Part>.self)
}
