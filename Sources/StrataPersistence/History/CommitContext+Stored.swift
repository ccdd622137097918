package import StrataCore
package import StrataJournal
import StrataRecords

extension DeltaHeader {
  /// The contexts of its commits, by their revisions.
  package func commitContexts() throws(CorruptionError) -> [Revision: CommitContext] {
    var found: [Revision: CommitContext] = [:]
    for context in try contexts().contexts {
      found[context.revision ?? revision] = CommitContext(context)
    }
    return found
  }
}

extension CommitContext {
  /// The context of a delta.
  fileprivate init(_ stored: DeltaContext) {
    self.init(
      user: stored.user,
      request: stored.request,
      traceID: stored.trace,
      call: stored.call.map { call in
        RecordedCall(call.name, stored: call.arguments.map { StoredArguments(value: $0) })
      },
      fields: stored.fields
    )
  }
}

/// The arguments of a call as a delta has them.
private struct StoredArguments: RecordedArguments {
  let value: RecordValue

  var description: String { value.json() }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(value.json())
  }

  func decode<Value: Codable & Equatable & Sendable>(_ type: Value.Type) throws -> Value {
    try TaggedValue.decode(type, from: TaggedValue.bytes(of: value))
  }

  func isEqual(to other: any RecordedArguments) -> Bool {
    (other as? StoredArguments)?.value == value
  }
}
