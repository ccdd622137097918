public import StrataJournal
public import StrataStorage

/// What an opening found in its archive, and what it did before it opened the file.
public struct ArchiveReport: Sendable, Equatable {
  /// Commits of this file that did not become part of the history, because another process led by then.
  public struct SetAside: Sendable, Equatable {
    /// Where the file is now; `strata diff` and the other commands can read it there.
    public let quarantine: Quarantine
    /// The revisions that only this file has; nil if it is not known where they start, or if there are none.
    public let revisions: ClosedRange<Revision>?

    init(_ quarantine: Quarantine) {
      self.quarantine = quarantine
      revisions = quarantine.revisions
    }
  }

  /// The epoch in which this process leads; nil if the archive could not be reached, or is new.
  public var epoch: Int64?
  /// Why the archive could not be reached; commits go to it once it can be.
  public var away: String?
  /// The revisions that came from the archive; nil if the file had them all.
  public var pulled: ClosedRange<Revision>?
  /// The file that was here before.
  public var setAside: SetAside?
  /// Files that were here before that one, the newest first.
  ///
  /// Openings have moved them aside that then did not succeed, so no report has named them.
  public var earlierSetAside: [SetAside] = []

  /// All of them.
  package var allSetAside: [SetAside] { (setAside.map { [$0] } ?? []) + earlierSetAside }
}

extension ArchiveReport: ReportPart {
  package var sentences: [String] { description.isEmpty ? [] : [description] }
}

extension ArchiveReport: CustomStringConvertible {
  /// Sentences for a person.
  public var description: String {
    var sentences: [String] = []
    if let away { sentences.append("The archive could not be reached: \(away)".withFullStop) }
    for setAside in allSetAside {
      let what = setAside.revisions.map {
        "The revisions \($0.lowerBound) to \($0.upperBound) of this file are not part of the history"
      }
      sentences.append(
        """
        \(what ?? "This file did not fit the history"): it was moved to \
        \(setAside.quarantine.directory).
        """
      )
    }
    if let pulled {
      sentences.append(
        "The revisions \(pulled.lowerBound) to \(pulled.upperBound) came from the archive."
      )
    }
    return sentences.joined(separator: " ")
  }
}
