import Foundation

/// Any JSON value, as people write it when they do not know a shape beforehand.
indirect enum JSONLike: Codable, Equatable {
  case null
  case bool(Bool)
  case int(Int)
  case double(Double)
  case string(String)
  case array([JSONLike])
  case object([String: JSONLike])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let value = try? container.decode(Bool.self) {
      self = .bool(value)
    } else if let value = try? container.decode(Int.self) {
      self = .int(value)
    } else if let value = try? container.decode(Double.self) {
      self = .double(value)
    } else if let value = try? container.decode(String.self) {
      self = .string(value)
    } else if let value = try? container.decode([JSONLike].self) {
      self = .array(value)
    } else {
      self = .object(try container.decode([String: JSONLike].self))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    switch self {
    case .null: try container.encodeNil()
    case .bool(let value): try container.encode(value)
    case .int(let value): try container.encode(value)
    case .double(let value): try container.encode(value)
    case .string(let value): try container.encode(value)
    case .array(let value): try container.encode(value)
    case .object(let value): try container.encode(value)
    }
  }

  /// A random value; doubles are never whole, since JSON cannot tell those from integers.
  static func random(depth: Int, using generator: inout RecordGenerator) -> JSONLike {
    switch Int.random(in: 0..<(depth > 0 ? 7 : 5), using: &generator) {
    case 0: return .null
    case 1: return .bool(.random(using: &generator))
    case 2: return .int(.random(in: -1_000_000...1_000_000, using: &generator))
    case 3: return .double(Double(Int.random(in: -999...999, using: &generator)) + 0.25)
    case 4: return .string(generator.text())
    case 5:
      let count = Int.random(in: 0...4, using: &generator)
      return .array((0..<count).map { _ in random(depth: depth - 1, using: &generator) })
    default:
      var members: [String: JSONLike] = [:]
      for _ in 0..<Int.random(in: 0...5, using: &generator) {
        members[generator.text()] = random(depth: depth - 1, using: &generator)
      }
      return .object(members)
    }
  }
}
