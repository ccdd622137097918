/// The state of a store: one value that holds everything, copied and compared like any other.
///
/// ```swift
/// struct AppState: StateType {
///   var count = 0
/// }
/// ```
///
/// Keep the parts that dispatchers are scoped to as *stored* properties: a key path through a
/// computed property copies what it leads to on every commit.
public protocol StateType: Sendable {}
