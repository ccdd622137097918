/// Checks, in a test, that the two forms of a ``RecordCodable`` type agree.
///
/// ```swift
/// @Test func `users are the same by hand`() throws {
///   try RecordCodableLaw.check([User.sample, User.withoutNickname])
/// }
/// ```
///
/// Pass values that differ in everything that matters: each optional with and without a value, arrays with
/// and without elements, every case of an enum. With each value it checks that
///
/// - both forms write the same bytes, and read them back as that value;
/// - the methods are used, and do not leave the record to `Codable` because of a misspelled name, another
///   order or another kind;
/// - records with a field that is null or absent, with a layout that lacks a field, or with a field that the
///   type does not know are read as `Codable` reads them.
public enum RecordCodableLaw {
  /// Checks the law with these values.
  ///
  /// O(values × fields).
  ///
  /// - Throws: ``RecordCodableViolation`` for the first value that breaks it; what the `encode(to:)` of
  ///   a value throws.
  public static func check<Value: RecordCodable & Equatable>(
    _ values: some Sequence<Value>
  ) throws {
    let values = Array(values)
    var writer = RecordWriter()
    var layout = Layout.empty
    // Enough rounds for the layout to get all that the values show.
    for _ in 0..<3 {
      for value in values {
        for _ in 0..<64 {
          var bytes: [UInt8] = []
          layout = try writer.encode(ByCodable(value: value), into: &bytes)
        }
      }
    }
    let law = Law<Value>(layout: layout)
    for value in values { try law.check(value) }
  }

  /// A value as its `encode(to:)` writes it.
  private struct ByCodable<Value: Codable>: Encodable {
    let value: Value

    func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }
  }

  fileprivate struct Law<Value: RecordCodable & Equatable> {
    let layout: Layout

    func check(_ value: Value) throws {
      let (byCodable, fit) = try encodeByCodable(value)
      var byHand: [UInt8] = []
      var writing = FieldWriting(layout)
      let isWritten = withUnsafeBytes(of: value) { value in
        value.baseAddress.map { writing.write(Value.self, $0, to: &byHand) } ?? false
      }
      // A value that shows the layout something new is left to Codable.
      if !isWritten, fit == .partial { return }
      guard isWritten else {
        throw RecordCodableViolation(
          Value.self,
          """
          encode(record:) does not write \(value): it writes a field that encode(to:) does not write, \
          in another order, or with another kind
          """
        )
      }
      guard byHand == byCodable else {
        throw RecordCodableViolation(
          Value.self,
          "encode(record:) and encode(to:) write other bytes of \(value): \(byHand), \(byCodable)"
        )
      }
      guard let read = read(byCodable, layout) else {
        throw RecordCodableViolation(
          Value.self,
          """
          init(record:) does not read \(value): it asks for a field that init(from:) does not ask for, \
          in another order, or for another kind
          """
        )
      }
      let decoded = try decode(byCodable, layout)
      guard read == decoded else {
        throw RecordCodableViolation(
          Value.self,
          "init(record:) and init(from:) read other values: \(read), \(decoded)"
        )
      }
      for variant in try variants(of: byCodable) { try check(variant) }
    }

    /// Checks that the methods read what `Codable` reads, or leave the record to it.
    private func check(_ variant: Variant) throws {
      guard let read = read(variant.bytes, variant.layout) else { return }
      let decoded: Value
      do {
        decoded = try decode(variant.bytes, variant.layout)
      } catch {
        throw RecordCodableViolation(
          Value.self,
          "init(record:) reads \(read) from a record with \(variant.change), and init(from:) throws: \(error)"
        )
      }
      guard read == decoded else {
        throw RecordCodableViolation(
          Value.self,
          """
          init(record:) and init(from:) read other values from a record with \(variant.change): \
          \(read), \(decoded)
          """
        )
      }
    }

    private func encodeByCodable(
      _ value: Value
    ) throws -> (bytes: [UInt8], fit: RecordEmitter.Fit) {
      let encoding = RecordEncoding(layout, keyTypes: KeyTypes(), reusing: RecordParts())
      try encoding.encode(ByCodable(value: value))
      var bytes: [UInt8] = []
      let fit = try RecordEmitter.emit(encoding.takeParts(), layout, to: &bytes)
      return (bytes, fit)
    }

    private func read(_ bytes: [UInt8], _ layout: Layout) -> Value? {
      var reading = FieldReading(layout.tables)
      let memory = UnsafeMutablePointer<Value>.allocate(capacity: 1)
      defer { memory.deallocate() }
      let context = DecodingContext(RecordDecoding(layout.tables))
      let isRead = reading.read(
        Value.self,
        bytes[...],
        context,
        to: UnsafeMutableRawPointer(memory)
      )
      return isRead ? memory.move() : nil
    }

    private func decode(_ bytes: [UInt8], _ layout: Layout) throws -> Value {
      let decoding = RecordDecoding(layout.tables)
      let top = try decoding.begin(bytes[...])
      let decoder = RecordDecoder(context: DecodingContext(decoding), value: top)
      return try Value(from: decoder)
    }
  }

  fileprivate struct Variant {
    let change: String
    let layout: Layout
    let bytes: [UInt8]
  }
}

extension RecordCodableLaw.Law {
  /// The record as builds with other fields and other values would have written it.
  private func variants(of record: [UInt8]) throws -> [RecordCodableLaw.Variant] {
    let fields = layout.fields
    let parts = try parts(of: record)
    var variants: [RecordCodableLaw.Variant] = []
    for (index, field) in fields.enumerated() {
      for (presence, change) in [(UInt8(0), "no"), (1, "a null")] {
        var parts = parts
        parts[index] = (presence, [])
        variants.append(
          .init(
            change: "\(change) \"\(field.name)\"",
            layout: layout,
            bytes: bytes(of: parts)
          )
        )
      }
      var (otherFields, otherParts) = (fields, parts)
      otherFields.remove(at: index)
      otherParts.remove(at: index)
      variants.append(
        .init(
          change: "no \"\(field.name)\" in its layout",
          layout: try Layout(otherFields),
          bytes: bytes(of: otherParts)
        )
      )
      (otherFields, otherParts) = (fields, parts)
      otherFields.insert(.init("\(field.name) of a later build", .scalar(.bool)), at: index)
      otherParts.insert((2, [1]), at: index)
      variants.append(
        .init(
          change: "a field before \"\(field.name)\" that the type does not know",
          layout: try Layout(otherFields),
          bytes: bytes(of: otherParts)
        )
      )
    }
    return variants
  }

  /// The two bits of each field in the map, and its bytes.
  private func parts(of record: [UInt8]) throws -> [(presence: UInt8, bytes: [UInt8])] {
    let table = layout.tables.records[0]
    return try record[...].withCursor { cursor throws(RecordError) in
      let map = cursor
      let scan = RecordScan(layout.tables, texts: .utf8)
      try cursor.skip(table.mapSize)
      var parts: [(presence: UInt8, bytes: [UInt8])] = []
      for (index, shape) in table.shapes.enumerated() {
        let start = cursor.offset
        try scan.field(index, shape, 0, &cursor)
        parts.append((map.presence(index + 1, map: 0), Array(record[start..<cursor.offset])))
      }
      return parts
    }
  }

  private func bytes(of parts: [(presence: UInt8, bytes: [UInt8])]) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: parts.count / 4 + 1)
    for (index, part) in parts.enumerated() {
      bytes[(index + 1) / 4] |= part.presence << ((index + 1) % 4 * 2)
      bytes += part.bytes
    }
    return bytes
  }
}

/// The two forms of a ``RecordCodable`` type do not agree.
public struct RecordCodableViolation: Error, CustomStringConvertible, Sendable {
  /// The type, the difference and the value that shows it.
  public let description: String

  init(_ type: Any.Type, _ difference: String) { description = "\(type): \(difference)." }
}
