import StrataJournal

extension PersistenceStatus: CustomStringConvertible {
  /// The status in sentences, for a person: what is wrong and what to do first, then the facts.
  public var description: String {
    ([condition.description] + problems + facts).joined(separator: " ")
  }

  private var problems: [String] {
    var sentences = parts.sentences(ofProblems: true)
    if let pinnedWAL { sentences.append("\(pinnedWAL)") }
    if let heldTimes { sentences.append("\(heldTimes)".sentence) }
    if !notPersisted.isEmpty {
      let count = notPersisted.count
      let listed =
        notPersisted.prefix(5).map(\.description) + (count > 5 ? ["and \(count - 5) more"] : [])
      sentences.append(
        """
        \(Measures.count(count, "entity is", "entities are")) only in memory, because encode(to:) \
        threw: \(listed.joined(separator: "; "))
        """.sentence
      )
    }
    if let lastFailure {
      let time = Measures.time(lastFailure.time)
      sentences.append("The last failure was at \(time): \(lastFailure.message)".sentence)
    }
    return sentences
  }

  private var facts: [String] {
    var sentences = [
      revisions.description,
      lastSync.map { "The last sync was at \(Measures.time($0))." } ?? "No sync since opening.",
      bytes.description,
      newestSnapshot?.description ?? "There is no verified snapshot.",
    ]
    sentences += parts.sentences(ofProblems: false)
    if let trimmed {
      sentences.append("The history up to revision \(trimmed) was trimmed.")
    }
    if queue.commits > 0 { sentences.insert(queue.description, at: 1) }
    return sentences
  }
}

extension PersistenceStatus.Condition: CustomStringConvertible {
  /// A sentence, with the cause and the remedy where there are any.
  public var description: String {
    switch self {
    case .healthy: "The file is healthy."
    case .degraded(let error, let since):
      "Degraded since \(Measures.time(since)): \(error.reason.sentence). \(error.reason.remedy)"
    case .suspended(let since):
      "Suspended since \(Measures.time(since)): commits wait in memory until resume()."
    case .closed: "Closed."
    }
  }
}

extension PersistenceStatus.Queue: CustomStringConvertible {
  /// A sentence.
  public var description: String {
    """
    \(Measures.count(commits, "commit", "commits")) with \
    \(Measures.count(entities, "changed entity", "changed entities")) \
    \(commits == 1 ? "waits" : "wait") for the writer; at \(capacity) changed entities, commits wait \
    for it.
    """
  }
}

extension PersistenceStatus.Revisions: CustomStringConvertible {
  /// A sentence.
  public var description: String {
    committed == durable
      ? "Everything up to revision \(committed) is durable."
      : "Revision \(committed) is committed, \(written) is in the file, \(durable) is durable."
  }
}

extension PersistenceStatus.Bytes: CustomStringConvertible {
  /// A sentence.
  public var description: String {
    let journal = journal.map { "deltas \(Measures.size($0))" } ?? "deltas not counted yet"
    return """
      The file has \(Measures.size(database)) (\(journal), snapshots \(Measures.size(snapshots))), its \
      write-ahead log \(Measures.size(wal)).
      """
  }
}

extension PersistenceStatus.PinnedWAL: CustomStringConvertible {
  /// A sentence.
  public var description: String {
    """
    A reader has kept a transaction open since \(Measures.time(since)), so \(Measures.size(bytes)) of the \
    write-ahead log cannot be moved into the database: find it with lsof.
    """
  }
}

extension PersistenceStatus.Snapshot: CustomStringConvertible {
  /// A sentence.
  public var description: String {
    """
    The newest snapshot is of revision \(revision), committed at \(Measures.time(time)): \
    \(Measures.count(entities, "entity", "entities")), \(Measures.size(bytes)).
    """
  }
}
