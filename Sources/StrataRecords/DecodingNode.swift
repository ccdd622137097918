/// One stored value being decoded: the decoder that its type reads from.
///
/// Beside the value goes the one at the same path of the type's defaults, if they have one, for
/// members that were not stored.
final class DecodingNode {
  let spot: TapeSpot
  let defaults: TapeSpot?
  private let key: (any CodingKey)?
  private let above: CodingTrail?
  private var calls: Int
  private lazy var members = TapeMembers(of: spot)
  private lazy var defaultMembers = defaults.flatMap { TapeMembers(of: $0) }
  /// The way to this value, made when a part of it or its coding path is asked for.
  private(set) lazy var trail = key.map { CodingTrail($0, after: above) }

  /// A decoder for the value at the top.
  init(_ spot: TapeSpot, defaults: TapeSpot?) {
    self.spot = spot
    self.defaults = defaults
    (key, above, calls) = (nil, nil, 0)
  }

  private init(
    _ spot: TapeSpot,
    defaults: TapeSpot?,
    _ key: any CodingKey,
    in parent: DecodingNode
  ) {
    self.spot = spot
    self.defaults = defaults
    self.key = key
    above = parent.trail
    calls = parent.calls + 1
  }

  var isKeyed: Bool { members != nil }
  var memberNames: [String] { members?.names ?? [] }

  /// The stored member of that name, or a place without a value.
  func stored(_ name: String) -> TapeSpot {
    members?.member(named: name) ?? TapeSpot(spot.tape, nil)
  }

  /// The member of that name in the defaults.
  func defaulted(_ name: String) -> TapeSpot? {
    guard defaults != nil, let member = defaultMembers?.member(named: name), member.tag != .absent
    else { return nil }
    return member
  }

  /// The stored member of that name, else the one in the defaults.
  func member(_ name: String) -> TapeSpot {
    let member = stored(name)
    return member.tag == .absent ? defaulted(name) ?? member : member
  }

  /// A decoder for a part.
  func child(_ spot: TapeSpot, defaults: TapeSpot?, _ key: some CodingKey) -> DecodingNode {
    DecodingNode(spot, defaults: defaults, key, in: self)
  }

  /// Lets a type that is no scalar read itself from here.
  func nested<Value: Decodable>(_ type: Value.Type) throws -> Value {
    guard calls < RecordLimits.calls else { throw RecordError.tooDeep }
    calls += 1
    defer { calls -= 1 }
    return try Value(from: self)
  }
}

extension DecodingNode {
  func context(_ text: String, _ keys: any CodingKey...) -> DecodingError.Context {
    DecodingError.Context(codingPath: codingPath + keys, debugDescription: text)
  }

  /// The error for a member that cannot be read as the type.
  func failure(_ type: Any.Type, _ key: any CodingKey) -> DecodingError {
    let member = member(key.stringValue)
    guard member.tag == .absent else { return mismatch(type, member, key) }
    let text = "The record has no \"\(key.stringValue)\", and no defaults stand in for it."
    return .keyNotFound(key, context(text))
  }

  /// The error for a value that cannot be read as the type.
  func mismatch(_ type: Any.Type, _ spot: TapeSpot, _ keys: any CodingKey...) -> DecodingError {
    let path = codingPath + keys
    let wanted = "\(type) is wanted here, "
    switch spot.tag {
    case .null, .absent:
      let text = wanted + "and null is stored."
      return .valueNotFound(type, .init(codingPath: path, debugDescription: text))
    case .scalar(let scalar):
      let text = wanted + "and a value of kind \(scalar) is stored that it cannot hold exactly."
      return .typeMismatch(type, .init(codingPath: path, debugDescription: text))
    case .array, .object, .record, .tagged:
      let text = wanted + "and an \(spot.tag == .array ? "array" : "object") is stored."
      return .typeMismatch(type, .init(codingPath: path, debugDescription: text))
    }
  }
}
