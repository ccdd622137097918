/// Why a build may not write to a store: migrations of the data ran on it that the build lacks.
///
/// What such a build would write has the shape from before them. Reading stays possible.
public struct OlderBuild: Error, Sendable, Hashable {
  /// The number of the last migration that the build knows; 0 if it knows none.
  public let known: Int
  /// The number of the last migration that ran on the store.
  public let last: Int
  /// The names of the migrations that the build lacks, in the order of their numbers.
  public let lacks: [String]
  /// Whether each of them has a way back.
  public let isReversible: Bool
  /// The newest backup from before them that is beside the store; nil if there is none.
  public let backup: String?
  /// What the build cannot read because of them; nil where only writing is refused.
  public internal(set) var detail: String?

  package init(
    known: Int,
    last: Int,
    lacks: [String],
    isReversible: Bool = false,
    backup: String? = nil,
    detail: String? = nil
  ) {
    self.known = known
    self.last = last
    self.lacks = lacks
    self.isReversible = isReversible
    self.backup = backup
    self.detail = detail
  }

  /// The same for a build that cannot read the store either.
  package func failing(_ detail: String) -> OlderBuild {
    var error = self
    error.detail = detail
    return error
  }

  /// What it is about, for the report of an opening for reading, without a full stop.
  package var note: String {
    """
    \(sentence): a field or table that they have renamed reads as missing or as its default, and this build must not write \
    to the store
    """
  }
}

extension OlderBuild: FeatureError {
  package var sentence: String {
    let most = 5
    let names = lacks.prefix(most).joined(separator: ", ")
    let more = lacks.count > most ? " and \(lacks.count - most) more" : ""
    let knows = known == 0 ? "knows none" : "knows those up to \(known)"
    return """
      migrations up to \(last) ran on this store, and this build \(knows): it lacks \(names)\(more)\
      \(detail.map { "; \($0)" } ?? "")
      """
  }

  package func remedy(at path: String?) -> String {
    var ways = ["Use the build that has them, and passes them with .migrations([…])."]
    if known == 0, detail == nil {
      ways.append(
        "Where `strata migrate up` runs them before the program starts, open with .migrations(.external)."
      )
    }
    var back: [String] = []
    let store = path.map { " \($0.shellWord)" } ?? ""
    if isReversible {
      back.append("take them back by its scripts with `strata migrate down\(store) --to \(known)`")
    }
    if let backup {
      let command = "`strata restore\(store) \(backup.shellWord)`"
      back.append("restore the backup from before them with \(command)")
    }
    if back.isEmpty { back.append("restore a backup from before them") }
    ways.append("To go on with this build, \(back.joined(separator: ", or ")).")
    if detail == nil {
      ways.append("RestorePolicy.readOnly reads it with this build, if that can decode all of it.")
    }
    return "\(ways.joined(separator: " ")) The file was not changed."
  }

  package var kind: PersistenceError.Kind { .newer }

  package var programRemedy: PersistenceError.Remedy { .useNewerBuild }
}

extension OlderBuild: CustomStringConvertible {
  /// What is wrong: starts in lower case, has no full stop.
  public var description: String { sentence }
}

extension PersistenceError {
  /// The migrations that this build lacks, where it is older than the store; nil for another error.
  public var olderBuild: OlderBuild? { feature() }
}
