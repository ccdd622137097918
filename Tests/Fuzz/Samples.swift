import Foundation
import StrataRecords

/// Values of many shapes: their records are the seeds, their types read the inputs.
enum Samples {
  struct Flat: Codable {
    var text = "a text"
    var flag = true
    var number = -5
    var bytes: [UInt8] = [1, 2]
    var double = 0.5
    var date = Date(timeIntervalSinceReferenceDate: 7)
    var id: UUID? = UUID()
    var link = URL(string: "https://example.org")
    var price = Decimal(string: "12.50")
    var data = Data([9, 8])
    var small: UInt8 = 3
    var large = UInt64.max
    var float = Float(1.5)
  }

  struct Pair: Codable {
    var left = ""
    var right: Int?
  }

  struct Nested: Codable {
    var pairs = [Pair(left: "x"), Pair(right: 1)]
    var byName = ["a": Pair(), "b": Pair(right: 2)]
    var lists: [[Int?]] = [[1, nil], []]
    var pair: Pair?
    var names = ["Ann", "Björn"]
    var scores = [1.0, .nan]
  }

  struct Tree: Codable {
    var value = 1
    var children: [Tree] = []
  }

  /// An ID as entities have it.
  struct Key: Codable, Hashable, Referencing {
    static var referencedTables: ReferencedTables? { .table("keys") }
    var raw = "k"

    init() {}

    init(from decoder: any Decoder) throws {
      raw = try decoder.singleValueContainer().decode(String.self)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(raw)
    }
  }

  struct Links: Codable {
    var id = Key()
    var owner: Key? = Key()
    var members = [Key(), Key()]
    var counts = [Key(): 3]
    var byName = ["x": [Key()]]
    var next = ["y": Key()]
  }

  enum Form: Codable {
    case point
    case circle(radius: Double)
    indirect case group([Form], main: Form)
  }

  class Animal: Codable {
    var legs = 4
  }

  final class Dog: Animal {
    private enum CodingKeys: CodingKey { case name }
    var name = "Rex"

    override init() { super.init() }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      name = try container.decode(String.self, forKey: .name)
      try super.init(from: try container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(name, forKey: .name)
      try super.encode(to: container.superEncoder())
    }
  }

  /// Reads whatever is stored, also members that it does not know.
  indirect enum JSON: Codable {
    case null, number(Double), text(String)
    case array([JSON])
    case object([String: JSON])

    init(from decoder: any Decoder) throws {
      if let members = try? decoder.singleValueContainer().decode([String: JSON].self) {
        self = .object(members)
      } else if let elements = try? decoder.singleValueContainer().decode([JSON].self) {
        self = .array(elements)
      } else if let number = try? decoder.singleValueContainer().decode(Double.self) {
        self = .number(number)
      } else if let text = try? decoder.singleValueContainer().decode(String.self) {
        self = .text(text)
      } else if try decoder.singleValueContainer().decodeNil() {
        self = .null
      } else {
        self = .text("")
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      switch self {
      case .null: try container.encodeNil()
      case .number(let number): try container.encode(number)
      case .text(let text): try container.encode(text)
      case .array(let elements): try container.encode(elements)
      case .object(let members): try container.encode(members)
      }
    }
  }

  /// A record of each sample, against the layout that it makes and against none.
  static func records() throws -> [(bytes: [UInt8], layout: Layout)] {
    let tree = Tree(children: [Tree(children: [Tree()]), Tree()])
    let values: [any Encodable] = [
      Flat(), Flat(id: nil, link: nil, price: nil), Pair(), Nested(), Nested(pair: Pair(right: 1)),
      Links(), Links(owner: nil), tree, Form.point,
      Form.group([.point, .circle(radius: 1)], main: .point), Dog(),
      JSON.object(["a": .array([.null, .number(1)]), "b": .object([:])]), 5, "text", [1, 2, 3],
      ["x": ["y": 1]],
    ]
    return try values.flatMap { try [record($0, resuming: nil), record($0, resuming: .empty)] }
  }

  private static func record(
    _ value: some Encodable,
    resuming layout: Layout?
  ) throws -> (bytes: [UInt8], layout: Layout) {
    var writer = RecordWriter(resuming: layout)
    var bytes: [UInt8] = []
    let layout = try writer.encode(value, into: &bytes)
    return (bytes, layout)
  }

  /// A record of the defaults of a type that has some.
  static func defaults(_ type: Any.Type) throws -> (bytes: [UInt8], layout: Layout)? {
    switch type {
    case is Flat.Type: try record(Flat(), resuming: nil)
    case is Nested.Type: try record(Nested(pair: Pair()), resuming: nil)
    default: nil
    }
  }
}
