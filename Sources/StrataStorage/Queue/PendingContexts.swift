package import StrataJournal

/// The context of a commit on its way to the file.
package protocol PendingContext: Sendable {
  /// The context as a delta states it; nil for nothing.
  ///
  /// Called once, on the writer's thread.
  func stored() -> DeltaContext?
}

/// The contexts of the commits that a delta stands for.
package struct PendingContexts: Sendable {
  private var contexts: [(revision: Revision, context: any PendingContext)] = []
  private var leftOut = 0

  init(_ context: (any PendingContext)?, of revision: Revision) {
    if let context { contexts = [(revision, context)] }
  }

  /// These, followed by those of later commits; the first ones where there are more than a delta holds.
  func merging(_ later: PendingContexts) -> PendingContexts {
    if later.contexts.isEmpty, later.leftOut == 0 { return self }
    var merged = self
    let all = contexts + later.contexts
    merged.contexts = Array(all.prefix(DeltaContexts.limit))
    merged.leftOut += later.leftOut + all.count - merged.contexts.count
    return merged
  }

  /// The column of the delta; nil for nothing.
  ///
  /// - Parameter isMerged: whether the delta stands for several commits.
  func encoded(isMerged: Bool) -> [UInt8]? {
    if contexts.isEmpty, leftOut == 0 { return nil }
    var stored: [DeltaContext] = []
    for (revision, context) in contexts {
      guard var context = context.stored()?.bounded(), !context.isEmpty else { continue }
      if isMerged { context.revision = revision }
      stored.append(context)
    }
    return DeltaContexts(stored, leftOut: leftOut).encoded()
  }
}
