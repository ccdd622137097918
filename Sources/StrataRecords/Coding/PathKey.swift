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
