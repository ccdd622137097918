/// A commit while it is being made: the value before, the value that is to become the state, and
/// what hooks attach to it for those who come after.
public struct Edit<State: StateType>: Sendable {
  /// The last committed value.
  public let previous: State
  /// The value this commit will publish.
  ///
  /// A hook may still change it.
  public var state: State
  /// The version this commit will have.
  public let version: UInt64
  /// Who commits.
  public let trace: CommitTrace
  /// What hooks computed from this edit; it travels with the commit to every subscriber.
  public var attachments = CommitAttachments()

  init(after current: Changes<State>, trace: CommitTrace) {
    previous = current.value
    state = current.value
    version = current.version + 1
    self.trace = trace
  }
}
