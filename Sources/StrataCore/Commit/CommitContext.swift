import StrataBase

/// Who wants a commit and why: the user, the request, the trace it belongs to, the call it carries out.
///
/// ```swift
/// store.commit("rename", context: CommitContext(user: "ann", request: id)) { $0.name = name }
///
/// try await CommitContext.with(CommitContext(user: session.user, traceID: span.traceID)) {
///   try await handle(request)        // every commit inside carries it
/// }
/// ```
///
/// All parts are optional. A commit carries the context of its task, and its own on top: see
/// `CommitContext.with`. Subscribers find it in ``Changes/context``, hooks in
/// ``Edit/trace``. A persisted store writes it into the delta, where `strata log` and the history
/// show it.
///
/// It is a value of the program, and nothing of it is checked: do not authorize with it.
public struct CommitContext: Sendable, Equatable {
  /// Who wants it: the user or the service.
  public var user: String?
  /// The request that led to it.
  public var request: String?
  /// The distributed trace it belongs to.
  public var traceID: String?
  /// What it carries out: the name of a mutation, and its arguments.
  public var call: RecordedCall?
  /// Anything else that helps to read the history.
  public var fields: [String: String]

  /// Creates a context.
  public init(
    user: String? = nil,
    request: String? = nil,
    traceID: String? = nil,
    call: RecordedCall? = nil,
    fields: [String: String] = [:]
  ) {
    self.user = user
    self.request = request
    self.traceID = traceID
    self.call = call
    self.fields = fields
  }

  /// Whether it says nothing.
  public var isEmpty: Bool { self == CommitContext() }

  /// This context, with what it lacks taken from `outer`; of the fields, each by its name.
  public func completed(by outer: CommitContext) -> CommitContext {
    CommitContext(
      user: user ?? outer.user,
      request: request ?? outer.request,
      traceID: traceID ?? outer.traceID,
      call: call ?? outer.call,
      fields: fields.merging(outer.fields) { own, _ in own }
    )
  }
}

extension CommitContext: CustomStringConvertible {
  /// What it says, as a person reads it: `user ann, request 7, rename(Rename(to: "Ann"))`.
  public var description: String {
    var parts: [String] = []
    if let user { parts.append("user \(user)") }
    if let request { parts.append("request \(request)") }
    if let traceID { parts.append("trace \(traceID)") }
    if let call { parts.append("\(call)") }
    parts += fields.inOrder { $0.key < $1.key }.map { "\($0.key): \($0.value)" }
    return parts.joined(separator: ", ")
  }
}

extension CommitContext: Encodable {
  private enum CodingKeys: CodingKey { case user, request, traceID, call, fields }

  /// Encodes what it says; nothing for what it does not.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encodeIfPresent(user, forKey: .user)
    try container.encodeIfPresent(request, forKey: .request)
    try container.encodeIfPresent(traceID, forKey: .traceID)
    try container.encodeIfPresent(call, forKey: .call)
    if !fields.isEmpty { try container.encode(fields, forKey: .fields) }
  }
}
