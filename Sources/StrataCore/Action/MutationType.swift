/// A mutation as a value: one edit of a scope that has yet to be committed.
///
/// Dispatchers make ``AnyMutation``.
public protocol MutationType<State, Result> {
  /// What it edits: the scope of the dispatcher it belongs to.
  associatedtype State
  /// What it returns to whoever commits it.
  associatedtype Result
  /// What it throws; `Never` for a mutation that cannot fail.
  associatedtype Failure: Error = Never

  /// Who wrote it; the trace of the commit it becomes.
  var metadata: MutationMetadata { get }

  /// Edits the state.
  ///
  /// A throw means that nothing has happened.
  func mutate(_ state: inout State) throws(Failure) -> Result
}
