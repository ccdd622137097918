import Foundation

extension Zoo {
  class Animal: Codable, Equatable {
    var name: String

    init(name: String) {
      self.name = name
    }

    static func == (left: Animal, right: Animal) -> Bool {
      left.isEqual(to: right)
    }

    func isEqual(to other: Animal) -> Bool {
      name == other.name
    }
  }

  /// A subclass that lets its superclass write beside it, under `super` or under a key.
  final class Dog: Animal {
    var legs: Int
    var owner: Animal

    enum CodingKeys: String, CodingKey { case legs, owner }

    init(name: String, legs: Int, owner: Animal) {
      self.legs = legs
      self.owner = owner
      super.init(name: name)
    }

    required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      legs = try container.decode(Int.self, forKey: .legs)
      owner = try Animal(from: container.superDecoder(forKey: .owner))
      try super.init(from: container.superDecoder())
    }

    override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      let parent = container.superEncoder()
      let keyed = container.superEncoder(forKey: .owner)
      try container.encode(legs, forKey: .legs)
      try owner.encode(to: keyed)
      try super.encode(to: parent)
    }

    override func isEqual(to other: Animal) -> Bool {
      guard let other = other as? Dog else { return false }
      return super.isEqual(to: other) && legs == other.legs && owner == other.owner
    }
  }

  /// Uses its containers out of order, asks for one again, and mixes kinds of keys.
  struct Unruly: Codable, Equatable, Sendable {
    var first: Int
    var second: [String]
    var third: Pair
    var more: [String: Int]

    enum CodingKeys: String, CodingKey { case first, second, third }
    enum PairKeys: String, CodingKey { case left, right }

    struct FreeKey: CodingKey {
      var stringValue: String
      var intValue: Int? { nil }
      init(stringValue: String) { self.stringValue = stringValue }
      init?(intValue: Int) { return nil }
    }

    init(first: Int, second: [String], third: Pair, more: [String: Int]) {
      (self.first, self.second, self.third, self.more) = (first, second, third, more)
    }

    init(from decoder: any Decoder) throws {
      let free = try decoder.container(keyedBy: FreeKey.self)
      more = [:]
      for key in free.allKeys where CodingKeys(stringValue: key.stringValue) == nil {
        more[key.stringValue] = try free.decode(Int.self, forKey: key)
      }
      let container = try decoder.container(keyedBy: CodingKeys.self)
      let pair = try container.nestedContainer(keyedBy: PairKeys.self, forKey: .third)
      let right = try pair.decode(Int.self, forKey: .right)
      third = Pair(left: try pair.decode(String.self, forKey: .left), right: right)
      var list = try container.nestedUnkeyedContainer(forKey: .second)
      second = []
      while !list.isAtEnd { second.append(try list.decode(String.self)) }
      first = try container.decode(Int.self, forKey: .first)
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      var pair = container.nestedContainer(keyedBy: PairKeys.self, forKey: .third)
      var list = container.nestedUnkeyedContainer(forKey: .second)
      try pair.encode(third.right, forKey: .right)
      for text in second.dropLast() { try list.encode(text) }
      try container.encode(-1, forKey: .first)
      var again = container.nestedContainer(keyedBy: PairKeys.self, forKey: .third)
      try again.encode(third.left, forKey: .left)
      var listAgain = container.nestedUnkeyedContainer(forKey: .second)
      if let last = second.last { try listAgain.encode(last) }
      try container.encode(first, forKey: .first)
      var free = encoder.container(keyedBy: FreeKey.self)
      for (name, number) in more { try free.encode(number, forKey: FreeKey(stringValue: name)) }
    }
  }

  /// Writes null where there is nothing, and lists within lists.
  struct Nulls: Codable, Equatable, Sendable {
    var text: String?
    var grid: [[Int]]

    enum CodingKeys: String, CodingKey { case text, grid }

    init(text: String?, grid: [[Int]]) {
      (self.text, self.grid) = (text, grid)
    }

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      text = try container.decode(String?.self, forKey: .text)
      var rows = try container.nestedUnkeyedContainer(forKey: .grid)
      grid = []
      while !rows.isAtEnd {
        var cells = try rows.nestedUnkeyedContainer()
        var row: [Int] = []
        while !cells.isAtEnd {
          if try cells.decodeNil() { row.append(0) } else { row.append(try cells.decode(Int.self)) }
        }
        grid.append(row)
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(text, forKey: .text)
      var rows = container.nestedUnkeyedContainer(forKey: .grid)
      for row in grid {
        var cells = rows.nestedUnkeyedContainer()
        for cell in row {
          if cell == 0 { try cells.encodeNil() } else { try cells.encode(cell) }
        }
      }
    }
  }
}
