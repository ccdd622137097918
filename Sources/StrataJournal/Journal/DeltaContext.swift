import StrataBase
package import StrataRecords

/// Who wanted a commit and why, as its delta states it.
///
/// The column `context` holds one tagged value: an object, or an array of them for a delta of several
/// commits. Members without a value are left out:
///
/// ```
/// user, request, trace   strings
/// call                   an object: name; arguments, any value; or omitted, a string that says why not
/// fields                 an object of strings
/// cut                    true, where something was too long for a delta
/// revision               of the commit, in an array
/// left out               in the last object of an array: how many more contexts there were
/// ```
package struct DeltaContext: Sendable, Equatable {
  /// What the commit carried out.
  package struct Call: Sendable, Equatable {
    package var name: String
    /// Nil for a call without arguments, or whose arguments were left out.
    package var arguments: RecordValue?
    /// Why the arguments were left out.
    package var omitted: String?

    package init(name: String, arguments: RecordValue? = nil, omitted: String? = nil) {
      self.name = name
      self.arguments = arguments
      self.omitted = omitted
    }
  }

  /// The commit's revision, where the delta has several.
  package var revision: Revision?
  package var user: String?
  package var request: String?
  package var trace: String?
  package var call: Call?
  package var fields: [String: String]
  /// Whether something was left out because it was too long.
  package var isCut = false

  package init(
    user: String? = nil,
    request: String? = nil,
    trace: String? = nil,
    call: Call? = nil,
    fields: [String: String] = [:]
  ) {
    self.user = user
    self.request = request
    self.trace = trace
    self.call = call
    self.fields = fields
  }

  /// Whether it is empty.
  package var isEmpty: Bool { self == DeltaContext() }
}

/// How much of a context a delta holds. A commit never fails because its context is too long.
extension DeltaContext {
  /// The longest text, in bytes of UTF-8.
  package static let textLimit = 1 << 10
  /// The most fields.
  package static let fieldLimit = 32
  /// The most bytes of the arguments of a call.
  package static let argumentLimit = 16 << 10

  /// The context with texts cut, the last fields by name and the arguments left out where they are over a
  /// limit.
  package func bounded() -> DeltaContext {
    var bounded = self
    Self.cut(&bounded.user, &bounded.isCut)
    Self.cut(&bounded.request, &bounded.isCut)
    Self.cut(&bounded.trace, &bounded.isCut)
    if var call {
      Self.cut(&call.name, &bounded.isCut)
      if let reason = call.arguments.flatMap(Self.reasonToLeaveOut) {
        call.arguments = nil
        call.omitted = reason
        bounded.isCut = true
      }
      Self.cut(&call.omitted, &bounded.isCut)
      bounded.call = call
    }
    bounded.fields = [:]
    for (var name, var value) in sortedFields.prefix(Self.fieldLimit) {
      Self.cut(&name, &bounded.isCut)
      Self.cut(&value, &bounded.isCut)
      bounded.fields[name] = value
    }
    if bounded.fields.count < fields.count { bounded.isCut = true }
    return bounded
  }

  /// The fields in the order in which they are stored.
  private var sortedFields: [(key: String, value: String)] {
    fields.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
  }

  /// Why arguments are left out; nil if they can be stored.
  private static func reasonToLeaveOut(_ arguments: RecordValue) -> String? {
    // As deep as in a delta of several commits.
    let stored = RecordValue.array([.object([.init("", .object([.init("", arguments)]))])])
    let bytes = TaggedValue.bytes(of: stored)
    if bytes.count > argumentLimit {
      return "they have more than \(argumentLimit) bytes"
    }
    do {
      _ = try TaggedValue.value(of: bytes)
      return nil
    } catch {
      return "they cannot be stored: \(error)"
    }
  }

  private static func cut(_ text: inout String?, _ isCut: inout Bool) {
    guard var cutText = text else { return }
    cut(&cutText, &isCut)
    text = cutText
  }

  private static func cut(_ text: inout String, _ isCut: inout Bool) {
    guard text.utf8.count > textLimit else { return }
    isCut = true
    var bytes = 0
    text = String(
      text.prefix {
        bytes += String($0).utf8.count
        return bytes <= textLimit
      }
    )
  }
}

extension DeltaContext {
  private enum Name {
    static let arguments = "arguments"
    static let call = "call"
    static let cut = "cut"
    static let fields = "fields"
    static let name = "name"
    static let omitted = "omitted"
    static let request = "request"
    static let revision = "revision"
    static let trace = "trace"
    static let user = "user"
  }

  /// The stored form.
  func value() -> RecordValue {
    var members: [RecordValue.Member] = []
    func add(_ name: String, _ text: String?) {
      if let text { members.append(.init(name, .string(text))) }
    }
    if let call { members.append(.init(Name.call, Self.value(of: call))) }
    if isCut { members.append(.init(Name.cut, .bool(true))) }
    if !fields.isEmpty {
      let texts = sortedFields.map { RecordValue.Member($0.key, .string($0.value)) }
      members.append(.init(Name.fields, .object(.init(texts))))
    }
    add(Name.request, request)
    if let revision {
      members.append(.init(Name.revision, .uint(UInt64(revision.number), .bits64)))
    }
    add(Name.trace, trace)
    add(Name.user, user)
    return .object(.init(members))
  }

  private static func value(of call: Call) -> RecordValue {
    var members: [RecordValue.Member] = []
    if let arguments = call.arguments {
      members.append(.init(Name.arguments, arguments))
    }
    members.append(.init(Name.name, .string(call.name)))
    if let omitted = call.omitted { members.append(.init(Name.omitted, .string(omitted))) }
    return .object(.init(members))
  }

  /// Reads the stored form; what a later format adds is ignored.
  init(_ value: RecordValue, of place: String) throws(CorruptionError) {
    self.init()
    guard case .object(let members) = value else {
      throw CorruptionError("the context of \(place) is no object")
    }
    for member in members {
      switch (member.name, member.value) {
      case (Name.user, .string(let text)): user = text
      case (Name.request, .string(let text)): request = text
      case (Name.trace, .string(let text)): trace = text
      case (Name.cut, .bool(let value)): isCut = value
      case (Name.revision, .uint(let number, _)):
        guard let number = Int64(exactly: number) else { throw Self.wrong(Name.revision, place) }
        revision = try StoredNumber.revision(number, "a revision in the context of \(place)")
      case (Name.call, .object): call = try Self.call(member.value, of: place)
      case (Name.fields, .object(let texts)):
        for text in texts {
          guard case .string(let value) = text.value else { throw Self.wrong(text.name, place) }
          fields[text.name] = value
        }
      case (Name.user, _), (Name.request, _), (Name.trace, _), (Name.cut, _), (Name.revision, _),
        (Name.call, _), (Name.fields, _):
        throw Self.wrong(member.name, place)
      default: break
      }
    }
  }

  private static func call(
    _ value: RecordValue,
    of place: String
  ) throws(CorruptionError) -> Call {
    guard case .string(let name)? = value[Name.name] else { throw wrong(Name.name, place) }
    var call = Call(name: name, arguments: value[Name.arguments])
    if case .string(let reason)? = value[Name.omitted] { call.omitted = reason }
    return call
  }

  private static func wrong(_ member: String, _ place: String) -> CorruptionError {
    CorruptionError("the context of \(place) has a member \(member) of another kind")
  }
}

/// The contexts of the commits of a delta: one, unless commits were merged while the disk failed.
package struct DeltaContexts: Sendable, Equatable {
  package var contexts: [DeltaContext]
  /// How many more the merged commits had.
  package var leftOut: Int

  /// The most contexts of one delta.
  package static let limit = 100
  /// The most bytes of the column: far above what this library writes.
  static let byteLimit = 16 << 20

  private static let leftOutName = "left out"

  package init(_ contexts: [DeltaContext], leftOut: Int = 0) {
    self.contexts = contexts
    self.leftOut = leftOut
  }

  /// The column; nil if all contexts are empty.
  package func encoded() -> [UInt8]? {
    let said = contexts.filter { !$0.isEmpty }
    if leftOut == 0, said.count == 1, said[0].revision == nil {
      return TaggedValue.bytes(of: said[0].value())
    }
    guard !said.isEmpty || leftOut > 0 else { return nil }
    var values: [RecordValue] = []
    for context in said { values.append(context.value()) }
    if leftOut > 0 {
      let count = RecordValue.uint(UInt64(leftOut), .bits64)
      values.append(.object([.init(Self.leftOutName, count)]))
    }
    return TaggedValue.bytes(of: .array(.init(values)))
  }

  /// Reads the column of a delta.
  package init(_ bytes: [UInt8], of place: String) throws(CorruptionError) {
    guard bytes.count <= Self.byteLimit else {
      throw CorruptionError("the context of \(place) has \(bytes.count) bytes")
    }
    let value: RecordValue
    do {
      value = try TaggedValue.value(of: bytes)
    } catch {
      throw CorruptionError("the context of \(place) cannot be read: \(error)")
    }
    guard case .array(let elements) = value else {
      self.init([try DeltaContext(value, of: place)])
      return
    }
    self.init([])
    for element in elements {
      if case .uint(let count, _)? = element[Self.leftOutName] {
        leftOut = try StoredNumber.count(
          Int64(clamping: count),
          "the count of contexts of \(place)"
        )
      } else {
        contexts.append(try DeltaContext(element, of: place))
      }
    }
  }
}
