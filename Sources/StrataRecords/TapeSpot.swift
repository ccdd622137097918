internal import Foundation

/// One value on a tape, or a place where none was stored.
///
/// The readings give nil where a value of another type is stored. Numbers convert where nothing is
/// lost. What Foundation's coders write as a text or a number reads as one here too: a URL and a UUID
/// as their text, a date as its seconds since 2001.
struct TapeSpot: Sendable {
  let tape: RecordTape
  /// The number of the token, or -1.
  private let number: Int

  /// The value whose token has this number, or no value.
  init(_ tape: RecordTape, _ number: Int?) {
    self.tape = tape
    self.number = number ?? -1
  }

  var token: RecordTape.Token? { number < 0 ? nil : tape.tokens[number] }
  var tag: Tag { token?.tag ?? .absent }
  /// The elements of an array, the members of an object.
  var count: Int { token.map { Int($0.bits) } ?? 0 }
  /// The number of the first token inside.
  var inside: Int { number + 1 }

  var bool: Bool? {
    guard let token, token.tag == .scalar(.bool) else { return nil }
    return token.bits == 1
  }

  func integer<Integer: FixedWidthInteger>(_: Integer.Type) -> Integer? {
    guard let token, case .scalar(let scalar) = token.tag else { return nil }
    switch scalar {
    case .int64, .int32, .int16, .int8: return Integer(exactly: Int64(bitPattern: token.bits))
    case .uint64, .uint32, .uint16, .uint8: return Integer(exactly: token.bits)
    default: return nil
    }
  }

  func floatingPoint<Number: BinaryFloatingPoint>(_: Number.Type) -> Number? {
    guard let token, case .scalar(let scalar) = token.tag else { return nil }
    let value: Double
    switch scalar {
    case .double, .date: value = Double(bitPattern: token.bits)
    case .float: value = Double(Float(bitPattern: UInt32(truncatingIfNeeded: token.bits)))
    case .int64, .int32, .int16, .int8: return Number(exactly: Int64(bitPattern: token.bits))
    case .uint64, .uint32, .uint16, .uint8: return Number(exactly: token.bits)
    default: return nil
    }
    return value.isNaN ? Number(value) : Number(exactly: value)
  }

  var double: Double? {
    guard let token, token.tag == .scalar(.double) else { return floatingPoint(Double.self) }
    return Double(bitPattern: token.bits)
  }

  var float: Float? {
    guard let token, token.tag == .scalar(.float) else { return floatingPoint(Float.self) }
    return Float(bitPattern: UInt32(truncatingIfNeeded: token.bits))
  }

  var string: String? {
    switch tag {
    case .scalar(.string), .scalar(.url): text
    case .scalar(.uuid): uuid?.uuidString
    default: nil
    }
  }

  var data: Data? {
    guard tag == .scalar(.data) else { return nil }
    return Data(block)
  }

  var date: Date? {
    guard let token, token.tag == .scalar(.date) else { return nil }
    return Date(timeIntervalSinceReferenceDate: Double(bitPattern: token.bits))
  }

  var uuid: UUID? {
    guard let token, token.tag == .scalar(.uuid) else { return nil }
    var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    withUnsafeMutableBytes(of: &value) { bytes in
      bytes.copyBytes(from: tape.bytes[token.offset..<token.offset + 16])
    }
    return UUID(uuid: value)
  }

  /// - Throws: `badText` when what is stored is not the text of a URL.
  func url() throws(RecordError) -> URL? {
    guard let token, tag == .scalar(.url) || tag == .scalar(.string) else { return nil }
    guard let url = URL(string: text) else { throw .badText(at: token.offset) }
    return url
  }

  /// A decimal number, or an integer as one.
  ///
  /// - Throws: `badText` when what is stored is not the text of a decimal number.
  func decimal() throws(RecordError) -> Decimal? {
    guard let token, tag == .scalar(.decimal) else {
      return integer(Int64.self).map { Decimal($0) } ?? integer(UInt64.self).map { Decimal($0) }
    }
    guard let value = Self.decimal(of: text) else { throw .badText(at: token.offset) }
    return value
  }

  /// The decimal number of a text, or nil when it is not the text of one.
  static func decimal(of text: String) -> Decimal? {
    // Foundation prints NaN and does not read it. Of other texts it reads the digits at the front and
    // drops the rest, so the number is asked for its text again.
    if text == Decimal.nan.description { return .nan }
    let longest = 256
    guard text.utf8.count <= longest, let value = Decimal(string: text),
      value.description == text
    else { return nil }
    return value
  }

  /// The bytes of a text or of data.
  private var block: ArraySlice<UInt8> {
    guard let token else { return [] }
    return tape.bytes[token.offset..<token.offset + Int(token.bits)]
  }

  /// The text of a token that was checked to be one.
  var text: String {
    String(decoding: block, as: UTF8.self)
  }
}
