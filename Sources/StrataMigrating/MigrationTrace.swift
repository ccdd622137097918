package import StrataJournal
import StrataRecords

/// Which run of migrations has written a delta: its column `trace` says it, with a byte for the case and its numbers as
/// varints.
///
/// The name of a delta decides nothing, because a program may give its commits any name. Deltas of format 2 have a
/// text there, which their hashes cover. Only deltas from before that are known by their names: they have neither a
/// trace nor a place nor a context.
package enum MigrationTrace: Equatable, Sendable {
  /// A migration ran.
  case up(Int)
  /// A migration was taken back.
  case down(Int)
  /// A migration ran on the records that older builds had written after a revision.
  case stragglers(Int, since: Revision)
  /// The data was made what it was at a revision.
  case revert(to: Revision)

  /// The bytes in its deltas.
  package var bytes: [UInt8] {
    let (code, numbers): (UInt8, [Int64]) =
      switch self {
      case .up(let number): (1, [Int64(number)])
      case .down(let number): (2, [Int64(number)])
      case .stragglers(let number, let revision): (3, [Int64(number), revision.number])
      case .revert(let revision): (4, [revision.number])
      }
    var bytes = [code]
    for number in numbers { bytes.appendVarint(UInt64(bitPattern: number)) }
    return bytes
  }

  /// The trace of a delta; nil for one that no run of migrations has written.
  package init?(of delta: DeltaHeader) {
    if let trace = delta.trace {
      if let trace = Self.read(trace) {
        self = trace
      } else {
        self.init(ofFormat2: String(decoding: trace, as: UTF8.self))
      }
    } else if delta.place.isEmpty, delta.context == nil {
      self.init(name: delta.name)
    } else {
      return nil
    }
  }

  /// Nil if the bytes are others.
  private static func read(_ bytes: [UInt8]) -> MigrationTrace? {
    do throws(RecordError) {
      return try bytes[...].withCursor { cursor throws(RecordError) -> MigrationTrace? in
        let code = try cursor.byte()
        func number() throws(RecordError) -> Int64 { Int64(bitPattern: try cursor.varint()) }
        let trace: MigrationTrace
        switch code {
        case 1: trace = .up(Int(try number()))
        case 2: trace = .down(Int(try number()))
        case 3: trace = .stragglers(Int(try number()), since: Revision(try number()))
        case 4: trace = .revert(to: Revision(try number()))
        default: return nil
        }
        return cursor.remaining == 0 ? trace : nil
      }
    } catch {
      return nil
    }
  }

  private init?(ofFormat2 text: String) {
    let prefix = "strata.migration "
    guard text.hasPrefix(prefix) else { return nil }
    let words = text.dropFirst(prefix.count).split(separator: " ")
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
