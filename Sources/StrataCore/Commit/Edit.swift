/// A commit while it is being made: the value before, the value that is to become the state, and
/// what hooks attach to it for those who come after.
public struct Edit<State: StateType>: Sendable {
  /// The last committed value.
  public let previous: State
  /// The value this commit will publish.
  ///
  /// Middleware and hooks may still change it.
  public var state: State
  /// The version this commit will have.
  public let version: UInt64
  /// Who commits.
  public let trace: CommitTrace
  /// The actions that led to the commit, from the one that made it outwards; often none.
  public let causes: [ActionMetadata]
  /// What was computed from this edit; it travels with the commit to every subscriber.
  public var attachments = CommitAttachments()

  /// The store or dispatcher that was told to commit, where one was.
  package let origin: ObjectIdentifier?
  let computed: ComputedPlace?

  init(
    after start: Changes<State>,
    trace: CommitTrace,
    causes: [ActionMetadata],
    by origin: ObjectIdentifier? = nil
  ) {
    previous = start.value
    state = start.value
    version = start.version + 1
    computed = start.computedPlace
    self.trace = trace
    self.causes = causes
    self.origin = origin
  }

  /// The edit as subscribers would see it if it ended here.
  ///
  /// O(1).
  public var changes: Changes<State> { Changes(self) }
}
