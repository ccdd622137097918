/// Which types of coding keys name the parts of a type, and which carry content.
///
/// The cases of an enum are written in the program, so a layout may list them; any other key may be
/// content (the keys of a dictionary are), and listing those would grow layouts without end.
struct KeyTypes: Sendable {
  private var known: [(type: ObjectIdentifier, isStatic: Bool)] = []

  mutating func isStatic<Key: CodingKey>(_ key: Key) -> Bool {
    let type = ObjectIdentifier(Key.self)
    if let entry = known.first(where: { $0.type == type }) { return entry.isStatic }
    let isStatic = Mirror(reflecting: key).displayStyle == .enum
    known.append((type, isStatic))
    return isStatic
  }
}
