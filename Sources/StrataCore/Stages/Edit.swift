/// A commit in progress: the value before it, the value that is to become the state, and what hooks
/// attach to it for its consumers.
public struct Edit<State: StateType>: Sendable {
  /// The last committed value.
  ///
  /// The first field, at the address of the edit.
  public let previous: State
  @usableFromInline var storedState: State
  /// The version this commit will have.
  public let version: UInt64
  @usableFromInline var origin: CommitOrigin
  /// What was computed from this edit; carried with the commit to every subscriber.
  public var attachments = CommitAttachments()

  @usableFromInline var computed: ComputedPlace?

  @inlinable
  init(after start: Version<State>, number: UInt64, by origin: CommitOrigin) {
    self.init(
      after: start.changes.storedValue,
      version: start.number + 1,
      computed: start.changes.computedPlace?.next(edit: number, after: start.number),
      by: origin
    )
  }

  @inlinable
  init(
    after previous: State,
    version: UInt64,
    computed: ComputedPlace?,
    by origin: CommitOrigin
  ) {
    self.previous = previous
    storedState = previous
    self.version = version
    self.computed = computed
    self.origin = origin
  }

  /// The value this commit will publish.
  ///
  /// Middleware and hooks may still change it.
  @inlinable public var state: State {
    _read { yield storedState }
    _modify {
      noteWrite()
      yield &storedState
    }
  }

  /// What was computed from the edit does not hold for what it becomes.
  @inlinable
  mutating func noteWrite() { computed?.writes &+= 1 }

  /// Who made the commit.
  @inlinable public var trace: CommitTrace { origin.trace }

  /// The actions that led to the commit, the innermost first; often none.
  @inlinable public var causes: [ActionMetadata] { origin.causes }

  /// Whether the object is the store or a dispatcher whose `commit` was called.
  package func isMade(by object: ObjectIdentifier) -> Bool {
    origin.dispatcher == object || origin.otherDispatchers.contains(object)
  }

  /// The edit as subscribers would see it if it ended now.
  ///
  /// O(1).
  public var changes: Changes<State> { Changes(self) }
}

extension Edit {
  /// Calls `body` with a part of the state before and after the edit, in place.
  ///
  /// A key path would copy both. The part is the stored value at this offset, which `MemoryLayout`
  /// gives for its key path.
  @inlinable
  package mutating func withPart<Part, R, E: Error>(
    _ type: Part.Type,
    at offset: Int,
    _ body: (_ old: UnsafePointer<Part>, _ new: UnsafeMutablePointer<Part>) throws(E) -> R
  ) throws(E) -> R {
    noteWrite()
    return try withUnsafeMutablePointer(to: &self) { edit throws(E) in
      let old = UnsafeRawPointer(Self.previous(of: edit))
      let new = UnsafeMutableRawPointer(Self.place(of: &edit.pointee.storedState))
      return try body(
        (old + offset).assumingMemoryBound(to: Part.self),
        (new + offset).assumingMemoryBound(to: Part.self)
      )
    }
  }

  @inlinable
  static func previous(of edit: UnsafeMutablePointer<Edit>) -> UnsafeMutablePointer<State> {
    UnsafeMutableRawPointer(edit).assumingMemoryBound(to: State.self)
  }

  /// The address of a field of an edit whose memory does not move meanwhile.
  @inlinable
  static func place<Stored>(of field: UnsafeMutablePointer<Stored>) -> UnsafeMutablePointer<Stored>
  {
    field
  }
}

extension Changes where Value: StateType {
  /// The changes of an edit, as far as it is; what is computed from them is not what is computed from
  /// a version.
  init(_ edit: Edit<Value>) {
    var place = edit.computed
    place?.isInEdit = true
    self.init(
      value: edit.state,
      previous: edit.previous,
      version: edit.version,
      traces: edit.causes.isEmpty ? [edit.trace] : [edit.trace] + edit.causes,
      attachments: edit.attachments,
      computedPlace: place
    )
  }

  /// Moves an edit into the changes that it makes, without a copy; the memory of the edit is then
  /// uninitialized.
  ///
  /// Each field of an edit that has to be freed is moved or freed here.
  @inlinable
  init(moving edit: UnsafeMutablePointer<Edit<Value>>) {
    let origin = Edit<Value>.place(of: &edit.pointee.origin).move()
    self.init(
      value: Edit<Value>.place(of: &edit.pointee.storedState).move(),
      previous: Edit<Value>.previous(of: edit).move(),
      version: edit.pointee.version,
      traces: origin.causes.isEmpty ? [origin.trace] : [origin.trace] + origin.causes,
      attachments: Edit<Value>.place(of: &edit.pointee.attachments).move(),
      computedPlace: Edit<Value>.place(of: &edit.pointee.computed).move()
    )
  }
}

/// Who makes a commit.
@usableFromInline
struct CommitOrigin: Sendable {
  @usableFromInline let trace: CommitTrace
  @usableFromInline let causes: [ActionMetadata]
  /// The dispatcher that commits, if any.
  @usableFromInline let dispatcher: ObjectIdentifier?
  /// The others, when several dispatchers make one commit.
  @usableFromInline let otherDispatchers: [ObjectIdentifier]

  @inlinable
  init(
    _ trace: CommitTrace,
    causes: [ActionMetadata] = [],
    by dispatcher: ObjectIdentifier? = nil,
    and others: [ObjectIdentifier] = []
  ) {
    self.trace = trace
    self.causes = causes
    self.dispatcher = dispatcher
    otherDispatchers = others
  }
}
