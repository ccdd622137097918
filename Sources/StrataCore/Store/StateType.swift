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
