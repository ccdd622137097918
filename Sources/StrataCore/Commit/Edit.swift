/// A commit in progress: the value before it, the value that is to become the state, and what hooks
/// attach to it for its consumers.
public struct Edit<State: StateType>: Sendable {
  /// The last committed value.
  public let previous: State
  /// The value this commit will publish.
  ///
  /// Middleware and hooks may still change it.
  public var state: State
  /// The version this commit will have.
  public let version: UInt64
  /// Who made the commit.
  public let trace: CommitTrace
  /// The actions that led to the commit, the innermost first; often none.
  public let causes: [ActionMetadata]
  /// What was computed from this edit; carried with the commit to every subscriber.
  public var attachments = CommitAttachments()

  /// The dispatcher that commits, if any.
  private let dispatcher: ObjectIdentifier?
  /// The others, when several dispatchers make one commit.
  private let otherDispatchers: [ObjectIdentifier]
  let computed: ComputedPlace?

  init(
    after start: Changes<State>,
    trace: CommitTrace,
    causes: [ActionMetadata],
    by dispatcher: ObjectIdentifier? = nil,
    and others: [ObjectIdentifier] = []
  ) {
    previous = start.value
    state = start.value
    version = start.version + 1
    computed = start.computedPlace
    self.trace = trace
    self.causes = causes
    self.dispatcher = dispatcher
    otherDispatchers = others
  }

  /// Whether the object is the store or a dispatcher whose `commit` was called.
  package func isMade(by object: ObjectIdentifier) -> Bool {
    dispatcher == object || otherDispatchers.contains(object)
  }

  /// The same edit of another state, whose computed properties are not stored.
  init(of state: State, like edit: Edit) {
    previous = state
    self.state = state
    version = edit.version
    computed = nil
    trace = edit.trace
    causes = edit.causes
    dispatcher = edit.dispatcher
    otherDispatchers = edit.otherDispatchers
  }

  /// The edit as subscribers would see it if it ended now.
  ///
  /// O(1).
  public var changes: Changes<State> { Changes(self) }
}
