/// The way from the top of a value down to a part of it, shared by all parts below.
///
/// A trail is built one link per nested value and turned into an array only for an error or for a
/// type that asks for its `codingPath`.
final class CodingTrail {
  private let key: any CodingKey
  private let parent: CodingTrail?

  init(_ key: any CodingKey, after parent: CodingTrail?) {
    self.key = key
    self.parent = parent
  }

  /// The keys from the top down; O(depth).
  var keys: [any CodingKey] {
    var keys = [key]
    var link = parent
    while let current = link {
      keys.append(current.key)
      link = current.parent
    }
    return keys.reversed()
  }
}

/// The key of an element, of the value that a superclass writes, or of a member known by its name.
enum PathKey: CodingKey {
  case index(Int)
  case superclass
  case name(String)

  init?(intValue: Int) {
    self = .index(intValue)
  }

  init?(stringValue: String) {
    self = stringValue == "super" ? .superclass : .name(stringValue)
  }

  var intValue: Int? {
    switch self {
    case .index(let index): index
    case .superclass, .name: nil
    }
  }

  var stringValue: String {
    switch self {
    case .index(let index): "Index \(index)"
    case .superclass: "super"
    case .name(let name): name
    }
  }
}
