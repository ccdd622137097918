/// What the nodes of one value being encoded share.
final class EncodingSession {
  let layout: Layout
  private(set) var keyTypes: KeyTypes
  /// What went wrong where the protocols of Codable leave no way to throw.
  private(set) var failure: RecordError?
  private var calls = 0

  init(_ layout: Layout, keyTypes: KeyTypes) {
    self.layout = layout
    self.keyTypes = keyTypes
  }

  /// Encodes a value at the top.
  ///
  /// - Throws: what the value's `encode(to:)` throws, `RecordError.tooDeep`,
  ///   `RecordError.conflictingContainers`.
  func node(for value: some Encodable) throws -> EncodingNode {
    let root = EncodingNode(top: self)
    if let leaf = RecordValue(leaf: value) {
      root.setSingle(leaf)
    } else {
      try encode(value, to: root)
    }
    if let failure { throw failure }
    return root
  }

  func encode(_ value: some Encodable, to node: EncodingNode) throws {
    guard calls < RecordLimits.calls, node.depth <= RecordLimits.depth else {
      throw RecordError.tooDeep
    }
    calls += 1
    defer { calls -= 1 }
    try value.encode(to: node)
  }

  func fail(_ error: RecordError) {
    failure = failure ?? error
  }

  func isStatic(_ key: some CodingKey) -> Bool {
    keyTypes.isStatic(key)
  }
}

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
