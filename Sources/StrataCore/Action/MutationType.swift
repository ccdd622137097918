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

/// A mutation made of a closure: what the methods of a dispatcher return to describe one edit.
///
/// ```swift
/// func rename(to name: String) -> Mutation<Void> {
///   .mutation { $0.name = name }
/// }
///
/// context.commit { $0.rename(to: "Ada") }
/// ```
///
/// Each commit of it is one atomic step. Its name and place become the trace of the commit. One that
/// may throw, or that the rules of a database may refuse, is a `ThrowingMutation<Result>`; an error
/// rolls the commit back.
public struct ClosureMutation<Dispatcher: DispatcherType, Result, Failure: Error>: MutationType {
  /// What it edits: the scope of the dispatcher.
  public typealias State = Dispatcher.Scope
  /// Who created it.
  public let metadata: MutationMetadata
  /// What the history notes of it, if it was given arguments.
  public private(set) var call: RecordedCall?
  private let body: (inout Dispatcher.Scope) throws(Failure) -> Result

  /// Creates a mutation that runs the closure.
  public init(
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutate: @escaping (inout Dispatcher.Scope) throws(Failure) -> Result
  ) {
    metadata = MutationMetadata(name: name, fileID: fileID, function: function, line: line)
    body = mutate
  }

  /// Creates a mutation that runs the closure.
  public static func mutation(
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutate: @escaping (inout Dispatcher.Scope) throws(Failure) -> Result
  ) -> Self {
    Self(name, fileID: fileID, function: function, line: line, mutate)
  }

  /// Creates a mutation that runs the closure, and whose name and arguments the history notes.
  ///
  /// ```swift
  /// func rename(_ id: User.ID, to name: String) -> Mutation<Void> {
  ///   .mutation("rename", arguments: Rename(id: id, name: name)) { $0.users[id]?.name = name }
  /// }
  /// ```
  public static func mutation(
    _ name: String,
    arguments: some Codable & Equatable & Sendable,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutate: @escaping (inout Dispatcher.Scope) throws(Failure) -> Result
  ) -> Self {
    var mutation = Self(name, fileID: fileID, function: function, line: line, mutate)
    mutation.call = RecordedCall(name, arguments: arguments)
    return mutation
  }

  /// Creates a mutation of a part of the scope; an optional part is given as an optional.
  public static func mutation<Part>(
    _ name: String = "",
    scope part: StatePath<Dispatcher.Scope, Part>,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutate: @escaping (inout Part) throws(Failure) -> Result
  ) -> Self {
    Self(name, fileID: fileID, function: function, line: line) { (scope) throws(Failure) in
      try mutate(&scope[keyPath: part])
    }
  }

  /// Edits the state.
  public func mutate(_ state: inout Dispatcher.Scope) throws(Failure) -> Result {
    try body(&state)
  }
}

/// A mutation made of a closure that cannot fail.
public typealias AnyMutation<Dispatcher: DispatcherType, Result> =
  ClosureMutation<Dispatcher, Result, Never>

extension DispatcherType {
  /// A mutation of this dispatcher.
  public typealias Mutation<Result> = ClosureMutation<Self, Result, Never>
  /// A mutation of this dispatcher that may throw.
  public typealias ThrowingMutation<Result> = ClosureMutation<Self, Result, any Error>
}
