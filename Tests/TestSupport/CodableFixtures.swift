package import Foundation
import Testing

/// Types of every shape that Codable makes or lets people write.
package enum CodableFixtures {
  package struct Scalars: Codable, Equatable, Sendable {
    package var bool: Bool
    package var int: Int
    package var int8: Int8
    package var int16: Int16
    package var int32: Int32
    package var int64: Int64
    package var uint: UInt
    package var uint8: UInt8
    package var uint16: UInt16
    package var uint32: UInt32
    package var uint64: UInt64
    package var float: Float
    package var double: Double
    package var string: String

    package init(
      bool: Bool,
      int: Int,
      int8: Int8,
      int16: Int16,
      int32: Int32,
      int64: Int64,
      uint: UInt,
      uint8: UInt8,
      uint16: UInt16,
      uint32: UInt32,
      uint64: UInt64,
      float: Float,
      double: Double,
      string: String
    ) {
      self.bool = bool
      self.int = int
      self.int8 = int8
      self.int16 = int16
      self.int32 = int32
      self.int64 = int64
      self.uint = uint
      self.uint8 = uint8
      self.uint16 = uint16
      self.uint32 = uint32
      self.uint64 = uint64
      self.float = float
      self.double = double
      self.string = string
    }

    package static let low = Scalars(
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
    package static let high = Scalars(
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

  package struct Kinds: Codable, Equatable, Sendable {
    package var date: Date
    package var data: Data
    package var uuid: UUID
    package var url: URL
    package var decimal: Decimal

    package init(date: Date, data: Data, uuid: UUID, url: URL, decimal: Decimal) {
      self.date = date
      self.data = data
      self.uuid = uuid
      self.url = url
      self.decimal = decimal
    }

    package static func sample() throws -> Kinds {
      Kinds(
        date: Date(timeIntervalSinceReferenceDate: 700_000_000.123_456_7),
        data: Data((0...255).map { UInt8($0) }),
        uuid: UUID(),
        url: try #require(URL(string: "https://example.com/a%20b?c=d#e")),
        decimal: try #require(Decimal(string: "-12345678901234567890.0123456789"))
      )
    }
  }

  package struct Optionals: Codable, Equatable, Sendable {
    package var text: String?
    package var number: Int?
    package var date: Date?
    package var nested: Pair?
    package var doubled: Int??
    package var list: [Int?]
    package var lists: [[String]?]?

    package init(
      text: String? = nil,
      number: Int? = nil,
      date: Date? = nil,
      nested: Pair? = nil,
      doubled: Int?? = nil,
      list: [Int?],
      lists: [[String]?]? = nil
    ) {
      self.text = text
      self.number = number
      self.date = date
      self.nested = nested
      self.doubled = doubled
      self.list = list
      self.lists = lists
    }
  }

  package struct Pair: Codable, Equatable, Hashable, Sendable {
    package var left: String
    package var right: Int

    package init(left: String, right: Int) {
      self.left = left
      self.right = right
    }
  }

  package struct Dictionaries: Codable, Equatable, Sendable {
    package var byText: [String: Int]
    package var byNumber: [Int: String]
    package var byPair: [Pair: Double]
    package var byUUID: [UUID: [String]]
    package var nested: [String: [String: Pair]]

    package init(
      byText: [String: Int],
      byNumber: [Int: String],
      byPair: [Pair: Double],
      byUUID: [UUID: [String]],
      nested: [String: [String: Pair]]
    ) {
      self.byText = byText
      self.byNumber = byNumber
      self.byPair = byPair
      self.byUUID = byUUID
      self.nested = nested
    }
  }

  package enum Shape: Codable, Equatable, Sendable {
    case point
    case circle(radius: Double)
    case labeled(String, at: Pair)
    indirect case group([Shape], main: Shape?)
  }

  package enum Grade: String, Codable, Equatable, Sendable { case low, high }
  package enum Level: Int, Codable, Equatable, Sendable { case one = 1, two }

  package struct Enums: Codable, Equatable, Sendable {
    package var shape: Shape
    package var shapes: [Shape]
    package var grade: Grade
    package var level: Level?
    package var byGrade: [Grade: Int]

    package init(
      shape: Shape,
      shapes: [Shape],
      grade: Grade,
      level: Level? = nil,
      byGrade: [Grade: Int]
    ) {
      self.shape = shape
      self.shapes = shapes
      self.grade = grade
      self.level = level
      self.byGrade = byGrade
    }
  }

  package struct Empty: Codable, Equatable, Sendable {
    package init() {}
  }

  package struct Empties: Codable, Equatable, Sendable {
    package var empty = Empty()
    package var list: [Empty] = [Empty(), Empty()]
    package var none: [Int] = []
    package var names: [String: Int] = [:]

    package init(
      empty: Empty = Empty(),
      list: [Empty] = [Empty(), Empty()],
      none: [Int] = [],
      names: [String: Int] = [:]
    ) {
      self.empty = empty
      self.list = list
      self.none = none
      self.names = names
    }
  }

  package struct Tree: Codable, Equatable, Sendable {
    package var value: Int
    package var children: [Tree]

    package init(value: Int, children: [Tree]) {
      self.value = value
      self.children = children
    }
  }

  /// Writes itself as its one value.
  package struct Wrapped<Value: Codable & Equatable>: Codable, Equatable {
    package var value: Value

    package init(_ value: Value) {
      self.value = value
    }

    package init(from decoder: any Decoder) throws {
      value = try decoder.singleValueContainer().decode(Value.self)
    }

    package func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }
  }
}
