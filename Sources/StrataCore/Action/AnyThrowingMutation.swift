/// A mutation that may throw, and that the rules of a database may refuse.
///
/// A throw rolls the commit back.
public struct AnyThrowingMutation<Dispatcher: DispatcherType, Result>: MutationType {
  /// What it edits: the scope of the dispatcher.
  public typealias State = Dispatcher.Scope
  /// What it throws.
  public typealias Failure = any Error

  /// Who wrote it.
  public let metadata: MutationMetadata
  private let edit: (inout Dispatcher.Scope) throws -> Result

  /// Creates a mutation that may throw that does what the closure does.
  public init(
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutate: @escaping (inout Dispatcher.Scope) throws -> Result
  ) {
    metadata = MutationMetadata(name: name, fileID: fileID, function: function, line: line)
    edit = mutate
  }

  /// Edits the state.
  public func mutate(_ state: inout Dispatcher.Scope) throws -> Result { try edit(&state) }

  /// Creates a mutation that may throw that does what the closure does.
  public static func mutation(
    _ name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutate: @escaping (inout Dispatcher.Scope) throws -> Result
  ) -> Self {
    Self(name, fileID: fileID, function: function, line: line, mutate)
  }

  /// Creates a mutation that may throw of a part of the scope; an optional part is given as an optional.
  public static func mutation<Part>(
    _ name: String = "",
    scope part: StatePath<Dispatcher.Scope, Part>,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line,
    _ mutate: @escaping (inout Part) throws -> Result
  ) -> Self {
    Self(name, fileID: fileID, function: function, line: line) { try mutate(&$0[keyPath: part]) }
  }
}

extension DispatcherType {
  /// A mutation that may throw of this dispatcher.
  public typealias ThrowingMutation<Result> = AnyThrowingMutation<Self, Result>
}
