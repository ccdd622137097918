/// A derived value that can be set: setting it commits to the store it is derived from.
///
/// ```swift
/// let name = store.bindingDerived(get: .map(\.user.name), set: { $0.user.name = $1 })
/// name.value = "Ada"
///
/// @BindingDerived var count: Int     // init: _count = store.bindingDerived(\.count)
/// ```
///
/// It is followed as a ``Derived`` value is, see ``DerivedType``: `name.sinkValue { … }`. Reading
/// returns what the state holds, which may differ from the value that was set if the setter changed
/// it. It holds its store, as a dispatcher does. Setting cannot throw: a refused commit goes to the
/// store's ``Store/refusedCommitHandler``.
@propertyWrapper
public final class BindingDerived<Value: Sendable>: Sendable {
  /// The value to be read and followed.
  public let derived: Derived<Value>
  private let commit: @Sendable (Value) -> Void

  init(_ derived: Derived<Value>, commit: @escaping @Sendable (Value) -> Void) {
    self.derived = derived
    self.commit = commit
  }

  /// The value for the last committed state; setting it is one commit.
  public var value: Value {
    get { derived.value }
    set { commit(newValue) }
  }

  /// The same as `value`.
  public var wrappedValue: Value {
    get { value }
    set { value = newValue }
  }

  /// The value to be followed.
  public var projectedValue: Derived<Value> { derived }
}

extension DispatcherType {
  /// A derived value that can be set by a closure over the scope.
  ///
  /// The name and the place are the trace of each of its commits.
  public func bindingDerived<Value: Equatable & Sendable>(
    _ name: String = "",
    get pipeline: Pipeline<Scope, Value>,
    set: @escaping @Sendable (inout Scope, Value) -> Void,
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line
  ) -> BindingDerived<Value> {
    BindingDerived(derived(pipeline)) { value in
      self.commit(name, fileID: fileID, function: function, line: line) { set(&$0, value) }
    }
  }

  /// A derived value that is a part of the scope and can be set.
  public func bindingDerived<Value: Equatable & Sendable>(
    _ part: StatePath<Scope, Value>,
    name: String = "",
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line
  ) -> BindingDerived<Value> {
    BindingDerived(derived(.map(part))) { value in
      self.commit(name, scope: part, fileID: fileID, function: function, line: line) { $0 = value }
    }
  }
}
