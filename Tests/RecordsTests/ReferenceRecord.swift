import Foundation
import StrataRecords

/// A second writer of records, straight from the description of the format, to compare bytes with.
///
/// It is given what a reader found, and knows nothing of how types write themselves.
enum ReferenceRecord {
  static func bytes(of value: RecordValue, _ layout: Layout) -> [UInt8] {
    if case .object(let members) = value { return record(Array(members), layout.fields) }
    return [2] + tagged(value)
  }

  private static func record(
    _ members: [RecordValue.Member],
    _ fields: [Layout.Field]
  ) -> [UInt8] {
    let extras = members.filter { member in !fields.contains { $0.name == member.name } }
    var presences = [extras.isEmpty ? 0 : 1]
    var values: [UInt8] = []
    for field in fields {
      switch members.first(where: { $0.name == field.name })?.value {
      case nil: presences.append(0)
      case .null: presences.append(1)
      case .some(let value):
        if let plain = plain(value, field.kind) {
          presences.append(2)
          values += plain
        } else {
          presences.append(3)
          values += tagged(value)
        }
      }
    }
    var map = [UInt8](repeating: 0, count: presences.count / 4 + (presences.count % 4 > 0 ? 1 : 0))
    for (index, presence) in presences.enumerated() {
      map[index / 4] += UInt8(presence) * [1, 4, 16, 64][index % 4]
    }
    return map + values + (extras.isEmpty ? [] : named(extras))
  }

  /// A value without a tag, or nil when it is not of the kind.
  private static func plain(_ value: RecordValue, _ kind: Layout.Kind) -> [UInt8]? {
    switch (value, kind) {
    case (_, .tagged): tagged(value)
    case (.object(let members), .record(let fields)): record(Array(members), fields)
    case (.array(let elements), .array(let element)): array(Array(elements), element)
    case (.array, .scalar), (.object, .scalar): nil
    case (_, .scalar(let scalar)):
      tagged(value).first == scalar.rawValue ? Array(tagged(value).dropFirst()) : nil
    default: nil
    }
  }

  private static func array(_ elements: [RecordValue], _ kind: Layout.Kind) -> [UInt8] {
    let plain = elements.compactMap { self.plain($0, kind) }
    if plain.count == elements.count { return varint(UInt64(elements.count) * 2) + plain.joined() }
    return varint(UInt64(elements.count) * 2 + 1) + elements.map(tagged).joined()
  }

  private static func named(_ members: [RecordValue.Member]) -> [UInt8] {
    let sorted = members.sorted { Array($0.name.utf8).lexicographicallyPrecedes($1.name.utf8) }
    return varint(UInt64(sorted.count)) + sorted.flatMap { text($0.name) + tagged($0.value) }
  }

  private static func tagged(_ value: RecordValue) -> [UInt8] {
    switch value {
    case .null: [0]
    case .bool(let value): [1, value ? 1 : 0]
    case .int(let value, .bits8): [2, UInt8(bitPattern: Int8(value))]
    case .int(let value, .bits16): [3] + zigzag(value)
    case .int(let value, .bits32): [4] + zigzag(value)
    case .int(let value, .bits64): [5] + zigzag(value)
    case .uint(let value, .bits8): [6, UInt8(value)]
    case .uint(let value, .bits16): [7] + varint(value)
    case .uint(let value, .bits32): [8] + varint(value)
    case .uint(let value, .bits64): [9] + varint(value)
    case .float(let value): [10] + fixed(UInt64(value.bitPattern), 4)
    case .double(let value): [11] + fixed(value.bitPattern, 8)
    case .string(let value): [12] + text(value)
    case .data(let value): [13] + varint(UInt64(value.count)) + value
    case .date(let value): [14] + fixed(value.timeIntervalSinceReferenceDate.bitPattern, 8)
    case .uuid(let value): [15] + withUnsafeBytes(of: value.uuid) { Array($0) }
    case .url(let value): [16] + text(value.absoluteString)
    case .decimal(let value): [17] + text(value.description)
    case .array(let elements):
      [32] + varint(UInt64(Array(elements).count) * 2 + 1) + elements.map(tagged).joined()
    case .object(let members): [33] + named(Array(members))
    }
  }

  private static func text(_ text: String) -> [UInt8] {
    varint(UInt64(text.utf8.count)) + text.utf8
  }

  private static func zigzag(_ value: Int64) -> [UInt8] {
    varint(value < 0 ? UInt64(-(value + 1)) * 2 + 1 : UInt64(value) * 2)
  }

  private static func varint(_ value: UInt64) -> [UInt8] {
    value < 128 ? [UInt8(value)] : [UInt8(value % 128) + 128] + varint(value / 128)
  }

  private static func fixed(_ bits: UInt64, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: bits / (1 << (8 * UInt64($0)))) }
  }
}
