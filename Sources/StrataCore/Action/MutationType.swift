/// Who created a mutation: the name it was given and the place in the source.
public typealias MutationMetadata = CommitTrace

/// A mutation as a value: one edit of a scope that has not been committed yet.
///
/// Dispatchers return ``ClosureMutation``.
public protocol MutationType<State, Result> {
  /// What it edits: the scope of its dispatcher.
  associatedtype State
  /// What it returns to the caller that commits it.
  associatedtype Result
  /// What it throws; `Never` for a mutation that cannot fail.
  associatedtype Failure: Error = Never

  /// Who created it; the trace of its commit.
  var metadata: MutationMetadata { get }
  /// What the history notes of it: its name and arguments; nil for nothing.
  ///
  /// It becomes the `call` of the ``CommitContext`` of its commit.
  var call: RecordedCall? { get }

  /// Edits the state.
  ///
  /// If it throws, the commit is rolled back.
  func mutate(_ state: inout State) throws(Failure) -> Result
}

extension MutationType {
  /// Nil.
  public var call: RecordedCall? { nil }
}
