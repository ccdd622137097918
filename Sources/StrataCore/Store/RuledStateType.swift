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
