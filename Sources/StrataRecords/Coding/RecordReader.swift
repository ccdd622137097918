import StrataBase

/// Reads records of one layout back as values of a type.
///
/// ```swift
/// let reader = try RecordReader(layout: layout, defaults: (defaultBytes, defaultLayout))
/// let user = try reader.decode(User.self, from: bytes)
/// ```
///
/// The type may have moved on since the record was written. Fields it no longer has are ignored;
/// an absent optional is nil; an absent field that is not optional is taken from the defaults, a record
/// of the type's default value, at the same path; a number is read as any type that holds it exactly.
///
/// One thread at a time.
package final class RecordReader {
  package let layout: Layout
  private let defaults: RecordDecoding?
  private let defaultValue: ValueLocation?
  /// What goes with the value at the top.
  private var context: DecodingContext
  /// What types have asked for, once unknown fields were wanted.
  private var coverage: FieldCoverage?
  private var conformance = RecordCodableConformance()
  /// What the methods of a `RecordCodable` type read with; nil until one does.
  private var fields: FieldReading?
  /// The fields whose types refer to other entities, with what they refer to, once unknown fields were wanted.
  ///
  /// They are those of the layout that a record had when it was decoded with a note of what was asked for: mostly the
  /// first one.
  package var references: [Layout.Field] { coverage?.referring(layout.fields) ?? [] }
  /// How many records were decoded with a note of what was asked for.
  package private(set) var notedRecords = 0

  /// A reader for records of a layout; the defaults are checked once, here.
  ///
  /// - Throws: `RecordError` if the defaults are not a record of their layout.
  package init(
    layout: Layout,
    defaults: (bytes: [UInt8], layout: Layout)? = nil
  ) throws(RecordError) {
    self.layout = layout
    if let defaults {
      let decoding = RecordDecoding(defaults.layout.tables)
      (self.defaults, defaultValue) = (decoding, try decoding.begin(defaults.bytes[...]))
    } else {
      (self.defaults, defaultValue) = (nil, nil)
    }
    context = Self.context(layout, self.defaults, defaultValue)
  }

  /// What types find in the user info of the decoder.
  package func setUserInfo(_ userInfo: [CodingUserInfoKey: Any]) {
    context.decoding.userInfo = userInfo
  }

  private static func context(
    _ layout: Layout,
    _ defaults: RecordDecoding?,
    _ defaultValue: ValueLocation?
  ) -> DecodingContext {
    DecodingContext(RecordDecoding(layout.tables, defaults: defaults), defaults: defaultValue)
  }

  /// The value of a record.
  ///
  /// O(bytes). The bytes may be untrusted.
  ///
  /// - Throws: `RecordError` if the bytes are not a record of the layout; `DecodingError` if the record does
  ///   not fit the type; what the type's `init(from:)` throws.
  package func decode<Value: Decodable>(
    _ type: Value.Type,
    from bytes: ArraySlice<UInt8>
  ) throws -> Value {
    guard conformance.conformance(of: type) != nil else { return try decodeByCodable(type, bytes) }
    let memory = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    defer { memory.deallocate() }
    if readByHand(type, bytes, to: memory) { return memory.move() }
    return try decodeByCodable(type, bytes)
  }

  /// Initializes memory with the value of a record; when this throws, it stays uninitialized.
  ///
  /// - Throws: as ``decode(_:from:)-(_,ArraySlice<UInt8>)`` does.
  package func decode<Value: Decodable>(
    _ type: Value.Type,
    from bytes: ArraySlice<UInt8>,
    to memory: UnsafeMutablePointer<Value>
  ) throws {
    if readByHand(type, bytes, to: memory) { return }
    memory.initialize(to: try decodeByCodable(type, bytes))
  }

  /// Reads a record of a `RecordCodable` type; false if `Codable` has to decode it.
  private func readByHand<Value: Decodable>(
    _ type: Value.Type,
    _ bytes: ArraySlice<UInt8>,
    to memory: UnsafeMutablePointer<Value>
  ) -> Bool {
    guard let byHand = conformance.conformance(of: type) else { return false }
    defer { if fields?.hasCopy == true { finish() } }
    if fields == nil { fields = FieldReading(layout.tables) }
    return fields?.read(byHand, bytes, context, to: UnsafeMutableRawPointer(memory)) ?? false
  }

  private func decodeByCodable<Value: Decodable>(
    _ type: Value.Type,
    _ bytes: ArraySlice<UInt8>
  ) throws -> Value {
    defer { finish() }
    return try read(type, bytes)
  }

  /// The value of a record that has an array of its own.
  package func decode<Value: Decodable>(
    _ type: Value.Type,
    from bytes: [UInt8]
  ) throws -> Value {
    try decode(type, from: bytes[...])
  }

  /// The value of a record, and the fields of the record that its type does not know.
  ///
  /// Costs no more than without them once the type has asked for every field of the layout: mostly from the
  /// second record on. A record that holds an unknown field costs about twice as much.
  ///
  /// - Throws: as ``decode(_:from:)-(_,ArraySlice<UInt8>)`` does.
  package func decode<Value: Decodable>(
    _ type: Value.Type,
    from bytes: ArraySlice<UInt8>,
    unknown: inout UnknownFields?
  ) throws -> Value {
    let memory = UnsafeMutablePointer<Value>.allocate(capacity: 1)
    defer { memory.deallocate() }
    try decode(type, from: bytes, unknown: &unknown, to: memory)
    return memory.move()
  }

  /// Initializes memory with the value of a record, and gives the fields of the record that its type
  /// does not know; when this throws, it stays uninitialized.
  ///
  /// - Throws: as ``decode(_:from:)-(_,ArraySlice<UInt8>)`` does.
  package func decode<Value: Decodable>(
    _ type: Value.Type,
    from bytes: ArraySlice<UInt8>,
    unknown: inout UnknownFields?,
    to memory: UnsafeMutablePointer<Value>
  ) throws {
    unknown = nil
    // Members beside the layout are never read by hand.
    if coverage?.isComplete == true, readByHand(type, bytes, to: memory) { return }
    memory.initialize(to: try decodeNoting(type, bytes, &unknown))
  }

  private func decodeNoting<Value: Decodable>(
    _ type: Value.Type,
    _ bytes: ArraySlice<UInt8>,
    _ unknown: inout UnknownFields?
  ) throws -> Value {
    defer { finish() }
    let coverage = coverage ?? FieldCoverage(layout.tables)
    self.coverage = coverage
    let decoding = context.decoding
    decoding.coverage = coverage
    coverage.hasMetExtras = false
    let top = try decoding.begin(bytes)
    let isRecord = top.shape.table != nil
    let mayHoldUnknown =
      try isRecord && !coverage.isComplete
      && coverage.mayHoldUnknown(0, decoding.cursor(at: Int(top.offset)), decoding.scan)
    if !mayHoldUnknown {
      let value = try value(type, top)
      if !isRecord || !coverage.hasMetExtras { return value }
    }
    notedRecords += 1
    decoding.isNoting = true
    defer { decoding.isNoting = false }
    let value = try value(type, top)
    var cursor = decoding.cursor(at: Int(top.offset))
    let fields = try coverage.unknownFields(of: 0, &cursor, decoding.scan)
    if !fields.isEmpty { unknown = fields }
    return value
  }

  private func read<Value: Decodable>(
    _ type: Value.Type,
    _ bytes: ArraySlice<UInt8>
  ) throws -> Value {
    try value(type, context.decoding.begin(bytes))
  }

  private func value<Value: Decodable>(
    _ type: Value.Type,
    _ stored: ValueLocation
  ) throws -> Value {
    let refusals = ThreadStack.refusals
    let value = Result { try RecordDecoder(context: context, value: stored).value(type) }
    // A type may catch that error, and read something else.
    if context.decoding.isTooDeep || ThreadStack.refusals != refusals { throw RecordError.tooDeep }
    return try value.get()
  }

  /// A value may keep a decoder or a container and read from it later; then it keeps the bytes.
  private func finish() {
    if isKnownUniquelyReferenced(&context) {
      context.decoding.end()
    } else {
      context = Self.context(layout, defaults, defaultValue)
    }
  }
}
