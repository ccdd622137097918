public import StrataCore
import StrataJournal
import StrataRecords
public import StrataStorage

/// The context of a commit that waits for the writer.
struct PendingCommitContext: PendingContext {
  let context: CommitContext
  /// That of the configuration.
  let redaction: (@Sendable (any Sendable) -> (any Sendable)?)?
  /// Whether tables are redacted or sealed, so that arguments that no redaction saw are left out.
  let mayHoldSecrets: Bool

  func stored() -> DeltaContext? {
    var context = context
    if let redaction {
      guard let redacted = redaction(context) as? CommitContext else { return nil }
      context = redacted
    }
    return DeltaContext(
      user: context.user,
      request: context.request,
      trace: context.traceID,
      call: context.call.map(stored),
      fields: context.fields
    )
  }

  private func stored(_ call: RecordedCall) -> DeltaContext.Call {
    guard let values = call.values else { return DeltaContext.Call(name: call.name) }
    if mayHoldSecrets, redaction == nil {
      return DeltaContext.Call(name: call.name, omitted: "tables are redacted or sealed")
    }
    do {
      let bytes = try TaggedValue.bytes(of: EncodableArguments(values: values))
      return DeltaContext.Call(name: call.name, arguments: try TaggedValue.value(of: bytes))
    } catch {
      return DeltaContext.Call(name: call.name, omitted: "they cannot be encoded: \(error)")
    }
  }
}

private struct EncodableArguments: Encodable {
  let values: any RecordedArguments

  func encode(to encoder: any Encoder) throws { try values.encode(to: encoder) }
}

extension CommitContexts {
  /// What a redaction leaves of them.
  ///
  /// ```swift
  /// configuration.commitContexts = .redacted { context in
  ///   context.user = context.user.map(pseudonym)
  ///   context.call = context.call.map { RecordedCall($0.name) }      // without arguments
  /// }
  /// ```
  ///
  /// It runs on the writer's thread, once for each commit that has a context. The context in memory stays as
  /// it is.
  public static func redacted(
    _ redaction: @escaping @Sendable (inout CommitContext) -> Void
  ) -> CommitContexts {
    CommitContexts { context in
      guard var context = context as? CommitContext else { return nil }
      redaction(&context)
      return context
    }
  }
}
