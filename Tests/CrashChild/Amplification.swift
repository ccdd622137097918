import Foundation
import StrataRecords
import TestSupport

/// Records of few bytes and very many values.
enum Amplification: String, CaseIterable {
  case nulls, bools, emptyArrays, emptyMembers, absentFields, nullFields, controls

  static let size = 1 << 19

  /// A record of about ``size`` bytes.
  func record() throws -> (bytes: [UInt8], layout: Layout) {
    switch self {
    case .nulls: (Self.lone(32, Self.header(Self.size, isTagged: true), [0], Self.size), .empty)
    case .bools:
      (
        Self.list(Self.header(Self.size), [1], Self.size),
        try Layout([.init("list", .array(of: .scalar(.bool)))])
      )
    case .emptyArrays:
      (
        Self.lone(32, Self.header(Self.size / 2, isTagged: true), [32, 0], Self.size / 2),
        .empty
      )
    case .emptyMembers: (Self.lone(33, Self.varint(Self.size / 2), [0, 0], Self.size / 2), .empty)
    case .absentFields:
      (
        Self.list(
          Self.header(Self.size / 251),
          [UInt8](repeating: 0, count: 251),
          Self.size / 251
        ),
        try Self.layout(fields: 1_000)
      )
    case .nullFields:
      (Self.list(Self.header(Self.size), [4], Self.size), try Self.layout(fields: 1))
    case .controls: (Self.lone(12, Self.varint(Self.size), [1], Self.size), .empty)
    }
  }

  /// Prints how many bytes of memory reading such a record takes, as a value with its JSON and as a type.
  static func measure(_ name: String) async throws {
    guard let amplification = Amplification(rawValue: name) else { exit(64) }
    let (bytes, layout) = try amplification.record()
    var length = 0
    let untyped = try await MemoryPeak.beyondNow {
      let value = try RecordValue(record: bytes, layout: layout)
      for piece in value.jsonPieces() { length += piece.utf8.count }
    }
    let typed = try await MemoryPeak.beyondNow {
      _ = try RecordReader(layout: layout).decode(Walk.self, from: bytes)
    }
    print(untyped.map { "\($0)" } ?? "unknown", typed.map { "\($0)" } ?? "unknown", length)
  }

  private static func layout(fields: Int) throws -> Layout {
    let fields = (0..<fields).map { Layout.Field("field \($0)", .unknown) }
    return try Layout([.init("list", .array(of: .record(fields)))])
  }

  /// A record whose first field is a list.
  private static func list(_ header: [UInt8], _ element: [UInt8], _ count: Int) -> [UInt8] {
    [8] + header + Array(repeatElement(element, count: count).joined())
  }

  /// A record that is one value with its kind.
  private static func lone(
    _ kind: UInt8,
    _ header: [UInt8],
    _ part: [UInt8],
    _ count: Int
  ) -> [UInt8] {
    [2, kind] + header + Array(repeatElement(part, count: count).joined())
  }

  private static func header(_ count: Int, isTagged: Bool = false) -> [UInt8] {
    varint(count << 1 | (isTagged ? 1 : 0))
  }

  private static func varint(_ value: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.appendVarint(UInt64(value))
    return bytes
  }
}

/// Reads all arrays and records and keeps nothing.
private struct Walk: Decodable {
  private enum CodingKeys: CodingKey { case list }

  init(from decoder: any Decoder) throws {
    if var elements = try? decoder.unkeyedContainer() {
      while !elements.isAtEnd { _ = try elements.decode(Walk.self) }
    } else if let members = try? decoder.container(keyedBy: CodingKeys.self) {
      _ = try members.decodeIfPresent(Walk.self, forKey: .list)
    }
  }
}
