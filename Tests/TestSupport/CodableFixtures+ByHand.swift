import Foundation

extension CodableFixtures {
  package class Animal: Codable, Equatable {
    package var name: String

    package init(name: String) {
      self.name = name
    }

    package static func == (left: Animal, right: Animal) -> Bool {
      left.isEqual(to: right)
    }

    package func isEqual(to other: Animal) -> Bool {
      name == other.name
    }
  }

  /// A subclass that lets its superclass write beside it, under `super` or under a key.
  package final class Dog: Animal {
    package var legs: Int
    package var owner: Animal

    package enum CodingKeys: String, CodingKey { case legs, owner }

    package init(name: String, legs: Int, owner: Animal) {
      self.legs = legs
      self.owner = owner
      super.init(name: name)
    }

    package required init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      legs = try container.decode(Int.self, forKey: .legs)
      owner = try Animal(from: container.superDecoder(forKey: .owner))
      try super.init(from: container.superDecoder())
    }

    package override func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      let parent = container.superEncoder()
      let keyed = container.superEncoder(forKey: .owner)
      try container.encode(legs, forKey: .legs)
      try owner.encode(to: keyed)
      try super.encode(to: parent)
    }

    package override func isEqual(to other: Animal) -> Bool {
      guard let other = other as? Dog else { return false }
      return super.isEqual(to: other) && legs == other.legs && owner == other.owner
    }
  }

  /// Uses its containers out of order, asks for one again, and mixes kinds of keys.
  package struct Unruly: Codable, Equatable, Sendable {
    package var first: Int
    package var second: [String]
    package var third: Pair
    package var more: [String: Int]

    package enum CodingKeys: String, CodingKey { case first, second, third }
    package enum PairKeys: String, CodingKey { case left, right }

    package struct FreeKey: CodingKey {
      package var stringValue: String
      package var intValue: Int? { nil }
      package init(stringValue: String) { self.stringValue = stringValue }
      package init?(intValue: Int) { return nil }
    }

    package init(first: Int, second: [String], third: Pair, more: [String: Int]) {
      (self.first, self.second, self.third, self.more) = (first, second, third, more)
    }

    package init(from decoder: any Decoder) throws {
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

    package func encode(to encoder: any Encoder) throws {
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
  package struct Nulls: Codable, Equatable, Sendable {
    package var text: String?
    package var grid: [[Int]]

    package enum CodingKeys: String, CodingKey { case text, grid }

    package init(text: String?, grid: [[Int]]) {
      (self.text, self.grid) = (text, grid)
    }

    package init(from decoder: any Decoder) throws {
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

    package func encode(to encoder: any Encoder) throws {
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
