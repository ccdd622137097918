import Foundation
package import StrataJournal

/// Seals for tests: a stream of SplitMix64 over the record and a tag over stream, context and record.
///
/// It hides bytes and detects foreign ones. It is not cryptography.
package struct ToyVault: RecordSealing {
  package struct Refused: Error {}

  package let key: UInt64
  /// It refuses to seal records that contain these bytes.
  package var refusing: [UInt8]?

  package init(key: UInt64, refusing: [UInt8]? = nil) {
    self.key = key
    self.refusing = refusing
  }

  package func seal(_ record: [UInt8], context: RecordContext) throws -> [UInt8] {
    if let refusing, record.holds(refusing) { throw Refused() }
    return tag(record, context) + stream(record, context)
  }

  package func open(_ sealed: [UInt8], context: RecordContext) throws -> [UInt8] {
    let record = stream(Array(sealed.dropFirst(8)), context)
    guard Array(sealed.prefix(8)) == tag(record, context) else { throw Refused() }
    return record
  }

  private func stream(_ bytes: [UInt8], _ context: RecordContext) -> [UInt8] {
    var random = SeededGenerator(seed: key &+ digest(context.bytes))
    return bytes.map { $0 ^ UInt8(truncatingIfNeeded: random.next()) }
  }

  private func tag(_ record: [UInt8], _ context: RecordContext) -> [UInt8] {
    withUnsafeBytes(of: digest(record + context.bytes) &* (key | 1)) { Array($0) }
  }

  private func digest(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0100_0000_01B3 }
  }
}

extension [UInt8] {
  /// Whether these bytes contain others.
  package func holds(_ other: [UInt8]) -> Bool {
    Data(self).range(of: Data(other)) != nil
  }
}
