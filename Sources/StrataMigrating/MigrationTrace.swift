package import StrataJournal

/// Which run of migrations has written a delta: its key says it.
///
/// The name of a delta decides nothing, because a program may give its commits any name. Only deltas from before the
/// keys are known by their names: they have neither a key nor a place nor a context.
package enum MigrationTrace: Equatable, Sendable {
  /// A migration ran.
  case up(Int)
  /// A migration was taken back.
  case down(Int)
  /// A migration ran on the records that older builds had written after a revision.
  case stragglers(Int, since: Revision)
  /// The data was made what it was at a revision.
  case revert(to: Revision)

  private static let prefix = "strata.migration "

  /// The key of its deltas.
  package var key: [UInt8] {
    let text =
      switch self {
      case .up(let number): "up \(number)"
      case .down(let number): "down \(number)"
      case .stragglers(let number, let revision): "stragglers \(number) \(revision)"
      case .revert(let revision): "revert \(revision)"
      }
    return Array((Self.prefix + text).utf8)
  }

  /// The trace of a delta; nil for one that no run of migrations has written.
  package init?(of delta: DeltaHeader) {
    if let key = delta.key {
      self.init(key: String(decoding: key, as: UTF8.self))
    } else if delta.place.isEmpty, delta.context == nil {
      self.init(name: delta.name)
    } else {
      return nil
    }
  }

  private init?(key: String) {
    guard key.hasPrefix(Self.prefix) else { return nil }
    let words = key.dropFirst(Self.prefix.count).split(separator: " ")
    let numbers = words.dropFirst().compactMap { Int64($0) }
    switch (words.first, numbers.count) {
    case ("up", 1): self = .up(Int(numbers[0]))
    case ("down", 1): self = .down(Int(numbers[0]))
    case ("stragglers", 2): self = .stragglers(Int(numbers[0]), since: Revision(numbers[1]))
    case ("revert", 1): self = .revert(to: Revision(numbers[0]))
    default: return nil
    }
  }
}

/// The names of the deltas.
extension MigrationTrace {
  private static let migration = "migration "
  private static let back = " taken back"
  private static let onStragglers = ", on records of an older build"
  private static let revert = "revert without types to "

  /// The name of its deltas, as `strata log` shows it.
  func name(of migration: String = "") -> String {
    switch self {
    case .up: "\(Self.migration)\(migration)"
    case .down: "\(Self.migration)\(migration)\(Self.back)"
    case .stragglers: "\(Self.migration)\(migration)\(Self.onStragglers)"
    case .revert(let revision): "\(Self.revert)\(revision)"
    }
  }

  private init?(name: String) {
    if name.hasPrefix(Self.revert),
      let revision = Revision(String(name.dropFirst(Self.revert.count)))
    {
      self = .revert(to: revision)
      return
    }
    guard name.hasPrefix(Self.migration),
      let number = DataMigration.number(of: name.dropFirst(Self.migration.count))
    else { return nil }
    if name.hasSuffix(Self.back) {
      self = .down(number)
    } else if name.hasSuffix(Self.onStragglers) {
      // Since when is not known, so it counts as since ever.
      self = .stragglers(number, since: 0)
    } else {
      self = .up(number)
    }
  }
}
