import StrataBase
package import StrataMigrations
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
  /// A migration was taken back. The change is nil in the deltas of earlier builds.
  case down(Int, LedgerChange? = nil)
  /// A migration ran on the records that older builds had written after a revision.
  case stragglers(Int, since: Revision)
  /// The data was made what it was at a revision. The change is nil in the deltas of earlier builds.
  case revert(to: Revision, LedgerChange? = nil)

  /// What a way back has changed in the ledger of the user's migrations.
  package struct LedgerChange: Equatable, Sendable {
    /// The rows that are gone.
    package var removed: [DataLedger.Entry]
    /// The numbers of the rows that came back, because a revert led to where they were.
    package var added: [Int] = []

    package init(removed: [DataLedger.Entry], added: [Int] = []) {
      (self.removed, self.added) = (removed, added)
    }

    package var isEmpty: Bool { removed.isEmpty && added.isEmpty }
  }

  /// The bytes in its deltas.
  package var bytes: [UInt8] {
    var bytes: [UInt8]
    switch self {
    case .up(let number): bytes = Self.bytes(1, Int64(number))
    case .down(let number, let change):
      bytes = Self.bytes(change == nil ? 2 : 5, Int64(number))
      change?.append(to: &bytes)
    case .stragglers(let number, let revision):
      bytes = Self.bytes(3, Int64(number), revision.number)
    case .revert(let revision, let change):
      bytes = Self.bytes(change == nil ? 4 : 6, revision.number)
      change?.append(to: &bytes)
    }
    return bytes
  }

  private static func bytes(_ code: UInt8, _ numbers: Int64...) -> [UInt8] {
    var bytes = [code]
    for number in numbers { bytes.appendNumber(number) }
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
        let trace: MigrationTrace
        switch try cursor.byte() {
        case 1: trace = .up(Int(try cursor.number()))
        case 2: trace = .down(Int(try cursor.number()))
        case 3:
          trace = .stragglers(Int(try cursor.number()), since: Revision(try cursor.number()))
        case 4: trace = .revert(to: Revision(try cursor.number()))
        case 5:
          let number = Int(try cursor.number())
          guard let change = try LedgerChange(reading: &cursor) else { return nil }
          trace = .down(number, change)
        case 6:
          let revision = Revision(try cursor.number())
          guard let change = try LedgerChange(reading: &cursor) else { return nil }
          trace = .revert(to: revision, change)
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
  package func name(of migration: String = "") -> String {
    switch self {
    case .up: "\(Self.migration)\(migration)"
    case .down: "\(Self.migration)\(migration)\(Self.back)"
    case .stragglers: "\(Self.migration)\(migration)\(Self.onStragglers)"
    case .revert(let revision, _): "\(Self.revert)\(revision)"
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
      let number = DataLedger.number(of: name.dropFirst(Self.migration.count))
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

/// ```
/// change   varint count of the rows that are gone, row*, varint count of those that came back, each: varint number
/// row      varint number, text name, 16 bytes of the checksum, varint applied, varint duration, text form,
///          varint revision, varint layout, flags (1 a script, 2 numbers that it replaces),
///          the script: text, the numbers: varint first, varint last
/// ```
extension MigrationTrace.LedgerChange {
  fileprivate func append(to bytes: inout [UInt8]) {
    bytes.appendVarint(UInt64(removed.count))
    for row in removed { row.append(to: &bytes) }
    bytes.appendVarint(UInt64(added.count))
    for number in added { bytes.appendNumber(Int64(number)) }
  }

  /// Nil if a row is none.
  fileprivate init?(reading cursor: inout ByteCursor) throws(RecordError) {
    self.init(removed: [])
    for _ in 0..<(try cursor.count()) {
      guard let row = try DataLedger.Entry(reading: &cursor) else { return nil }
      removed.append(row)
    }
    for _ in 0..<(try cursor.count()) { added.append(Int(try cursor.number())) }
  }
}

extension DataLedger.Entry {
  fileprivate func append(to bytes: inout [UInt8]) {
    bytes.appendNumber(Int64(number))
    bytes.appendText(name)
    bytes += checksum.bytes
    bytes.appendNumber(applied)
    bytes.appendNumber(duration)
    bytes.appendText(form)
    bytes.appendNumber(revision)
    bytes.appendNumber(layout)
    bytes.append((script == nil ? 0 : 1) | (replaces == nil ? 0 : 2))
    if let script { bytes.appendText(script) }
    if let replaces {
      bytes.appendNumber(Int64(replaces.lowerBound))
      bytes.appendNumber(Int64(replaces.upperBound))
    }
  }

  /// Nil if the bytes are others.
  fileprivate init?(reading cursor: inout ByteCursor) throws(RecordError) {
    let number = Int(try cursor.number())
    let name = try cursor.text()
    guard let checksum = Checksum(bytes: try cursor.bytes(16)) else { return nil }
    self.init(
      number: number,
      name: name,
      checksum: checksum,
      applied: try cursor.number(),
      duration: try cursor.number(),
      form: try cursor.text(),
      revision: try cursor.number(),
      layout: try cursor.number()
    )
    let flags = try cursor.byte()
    if flags & 1 != 0 { script = try cursor.text() }
    if flags & 2 != 0 {
      let (first, last) = (Int(try cursor.number()), Int(try cursor.number()))
      guard first <= last else { return nil }
      replaces = first...last
    }
    guard flags < 4 else { return nil }
  }
}

extension [UInt8] {
  /// Appends a number as a varint.
  fileprivate mutating func appendNumber(_ number: Int64) {
    appendVarint(UInt64(bitPattern: number))
  }
}

extension ByteCursor {
  /// A number that was written as a varint.
  fileprivate mutating func number() throws(RecordError) -> Int64 {
    Int64(bitPattern: try varint())
  }
}
