/// What the methods of a dispatcher return to describe one edit.
///
/// ```swift
/// func rename(to name: String) -> Mutation<Void> {
///   .mutation { $0.name = name }
/// }
///
/// context.commit { $0.rename(to: "Ada") }
/// ```
///
/// Each commit of it is one atomic step. Its name and place become the trace of the commit.
public struct AnyMutation<Dispatcher: DispatcherType, Result>: MutationType {
  /// What it edits: the scope of the dispatcher.
  public typealias State = Dispatcher.Scope
  /// Who wrote it.
  public let metadata: MutationMetadata
  private let edit: (inout Dispatcher.Scope) -> Result

  /// Creates a mutation that does what the closure does.
  public init(
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutate: @escaping (inout Dispatcher.Scope) -> Result
  ) {
    metadata = MutationMetadata(name: name, fileID: fileID, function: function, line: line)
    edit = mutate
  }

  /// Edits the state.
  public func mutate(_ state: inout Dispatcher.Scope) -> Result { edit(&state) }

  /// Creates a mutation that does what the closure does.
  public static func mutation(
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutate: @escaping (inout Dispatcher.Scope) -> Result
  ) -> Self {
    Self(name, fileID: fileID, function: function, line: line, mutate)
  }

  /// Creates a mutation of a part of the scope; an optional part is given as an optional.
  public static func mutation<Part>(
    _ name: String = "",
    scope part: StatePath<Dispatcher.Scope, Part>,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutate: @escaping (inout Part) -> Result
  ) -> Self {
    Self(name, fileID: fileID, function: function, line: line) { mutate(&$0[keyPath: part]) }
  }
}

extension DispatcherType {
  /// A mutation of this dispatcher.
  public typealias Mutation<Result> = AnyMutation<Self, Result>
}
