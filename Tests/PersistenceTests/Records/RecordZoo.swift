import Foundation
import Testing

/// Types of every shape that Codable makes or lets people write.
enum Zoo {
  struct Scalars: Codable, Equatable, Sendable {
    var bool: Bool
    var int: Int
    var int8: Int8
    var int16: Int16
    var int32: Int32
    var int64: Int64
    var uint: UInt
    var uint8: UInt8
    var uint16: UInt16
    var uint32: UInt32
    var uint64: UInt64
    var float: Float
    var double: Double
    var string: String

    static let low = Scalars(
      bool: false,
      int: .min,
      int8: .min,
      int16: .min,
      int32: .min,
      int64: .min,
      uint: .min,
      uint8: .min,
      uint16: .min,
      uint32: .min,
      uint64: .min,
      float: -.greatestFiniteMagnitude,
      double: .leastNonzeroMagnitude,
      string: ""
    )
    static let high = Scalars(
      bool: true,
      int: .max,
      int8: .max,
      int16: .max,
      int32: .max,
      int64: .max,
      uint: .max,
      uint8: .max,
      uint16: .max,
      uint32: .max,
      uint64: .max,
      float: .leastNonzeroMagnitude,
      double: -.greatestFiniteMagnitude,
      string: "é e\u{301} 日本 🙂 \u{0} \"\\"
    )
  }

  struct Kinds: Codable, Equatable, Sendable {
    var date: Date
    var data: Data
    var uuid: UUID
    var url: URL
    var decimal: Decimal

    static func sample() throws -> Kinds {
      Kinds(
        date: Date(timeIntervalSinceReferenceDate: 700_000_000.123_456_7),
        data: Data((0...255).map { UInt8($0) }),
        uuid: UUID(),
        url: try #require(URL(string: "https://example.com/a%20b?c=d#e")),
        decimal: try #require(Decimal(string: "-12345678901234567890.0123456789"))
      )
    }
  }

  struct Optionals: Codable, Equatable, Sendable {
    var text: String?
    var number: Int?
    var date: Date?
    var nested: Pair?
    var doubled: Int??
    var list: [Int?]
    var lists: [[String]?]?
  }

  struct Pair: Codable, Equatable, Hashable, Sendable {
    var left: String
    var right: Int
  }

  struct Dictionaries: Codable, Equatable, Sendable {
    var byText: [String: Int]
    var byNumber: [Int: String]
    var byPair: [Pair: Double]
    var byUUID: [UUID: [String]]
    var nested: [String: [String: Pair]]
  }

  enum Shape: Codable, Equatable, Sendable {
    case point
    case circle(radius: Double)
    case labeled(String, at: Pair)
    indirect case group([Shape], main: Shape?)
  }

  enum Grade: String, Codable, Equatable, Sendable { case low, high }
  enum Level: Int, Codable, Equatable, Sendable { case one = 1, two }

  struct Enums: Codable, Equatable, Sendable {
    var shape: Shape
    var shapes: [Shape]
    var grade: Grade
    var level: Level?
    var byGrade: [Grade: Int]
  }

  struct Empty: Codable, Equatable, Sendable {}

  struct Empties: Codable, Equatable, Sendable {
    var empty = Empty()
    var list: [Empty] = [Empty(), Empty()]
    var none: [Int] = []
    var names: [String: Int] = [:]
  }

  struct Tree: Codable, Equatable, Sendable {
    var value: Int
    var children: [Tree]
  }

  /// Writes itself as its one value.
  struct Wrapped<Value: Codable & Equatable>: Codable, Equatable {
    var value: Value

    init(_ value: Value) {
      self.value = value
    }

    init(from decoder: any Decoder) throws {
      value = try decoder.singleValueContainer().decode(Value.self)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }
}
