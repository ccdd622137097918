/// A type that writes and reads the fields of its records by hand: several times as fast as through
/// `Codable`, with the same bytes.
///
/// ```swift
/// extension User: RecordCodable {
///   init(record: inout RecordFieldReader) throws {
///     id = try record.decode("id")
///     name = try record.decode("name")
///     nickname = try record.decodeIfPresent("nickname")
///     address = try record.decode("address")
///   }
///
///   func encode(record: inout RecordFieldWriter) {
///     record.encode("id", id)
///     record.encode("name", name)
///     record.encodeIfPresent("nickname", nickname)
///     record.encode("address", address)
///   }
/// }
/// ```
///
/// The type stays `Codable`, and the two forms must agree: the same fields, in the same order, with the same
/// values. Adopting the protocol, or removing it again, changes no byte of a file. `RecordCodableLaw` checks
/// that, in a test of yours.
///
/// The methods are a fast path for records that are written in the order of the fields and have the kinds
/// that the type asks for. Every other record goes through `Codable`: the first one of a table, one that has
/// or needs a new field, one whose number is of another width, one with fields that this build does not know.
/// So everything that `Codable` does there (defaults, widening, unknown fields, errors) holds without a line
/// of code, at the cost of `Codable`. If the methods throw, the record is coded by `Codable` too, which
/// returns the value or throws.
///
/// The methods must not depend on anything but the fields, and may be called for a record that
/// `Codable` codes afterwards.
public protocol RecordCodable: Codable, SendableMetatype {
  /// Creates a value from the fields of a record, which are read in their order.
  init(record: inout RecordFieldReader) throws

  /// Writes the fields of a record, in their order.
  func encode(record: inout RecordFieldWriter) throws
}

/// Whether a type reads and writes its records by hand; the answer for the last type is cached, because
/// asking costs more than coding a small record.
struct RecordCodableConformance: Sendable {
  private var type: ObjectIdentifier?
  private var conformance: (any RecordCodable.Type)?

  /// The type, if it is `RecordCodable`.
  @inline(__always)
  mutating func conformance<Value>(of type: Value.Type) -> (any RecordCodable.Type)? {
    if self.type == ObjectIdentifier(type) { return conformance }
    return lookUp(type)
  }

  private mutating func lookUp<Value>(_ type: Value.Type) -> (any RecordCodable.Type)? {
    self.type = ObjectIdentifier(type)
    conformance = type as? any RecordCodable.Type
    return conformance
  }
}

/// The fields of a layout as the methods of a `RecordCodable` type find them: in their order, and by the
/// address of the name.
///
/// A name in a program is a constant, so a name that was found before is recognized by its address, without
/// comparing its bytes.
struct FieldPlan: Sendable {
  /// The address and the length of a name in the program; 0 for a field that no name was found for.
  private struct Name: Sendable {
    var address: UInt = 0
    var count = 0
  }

  /// The numbers of the fields of each record of the layout, counted through all of them.
  let spans: [Range<Int>]
  /// The shape of every field.
  let shapes: [LayoutTables.Shape]
  let tables: LayoutTables
  private var names: [Name]
  /// What the layout says that a field refers to.
  private let references: [ReferencedTables?]
  /// Whether it says anything about the field.
  private let hasReferences: [Bool]
  /// The type whose values were found to refer to that.
  private var referring: [ObjectIdentifier?]

  init(_ tables: LayoutTables) {
    var start = 0
    spans = tables.records.map { table in
      defer { start += table.shapes.count }
      return start..<start + table.shapes.count
    }
    shapes = tables.records.flatMap(\.shapes)
    self.tables = tables
    names = Array(repeating: Name(), count: shapes.count)
    references = tables.records.flatMap { table in
      table.references.isEmpty
        ? Array(repeating: nil, count: table.shapes.count) : table.references
    }
    hasReferences = references.map { $0 != nil }
    referring = Array(repeating: nil, count: shapes.count)
  }

  /// The field of that name in a record, at `next` or later; nil if there is none.
  @inline(__always)
  mutating func field(_ name: StaticString, from next: Int, in record: Int) -> Int? {
    guard name.hasPointerRepresentation else { return nil }
    if next < spans[record].upperBound {
      let known = names[next]
      if known.address == UInt(bitPattern: name.utf8Start), known.count == name.utf8CodeUnitCount {
        return next
      }
    }
    return search(name, from: next, in: record)
  }

  /// The field of a case of an enum, which may be any field of the record.
  @inline(__always)
  mutating func field(ofCase name: StaticString, in record: Int) -> Int? {
    guard name.hasPointerRepresentation else { return nil }
    let span = spans[record]
    for field in span {
      let known = names[field]
      if known.address == UInt(bitPattern: name.utf8Start), known.count == name.utf8CodeUnitCount {
        return field
      }
    }
    return search(name, from: span.lowerBound, in: record)
  }

  private mutating func search(_ name: StaticString, from next: Int, in record: Int) -> Int? {
    let span = spans[record]
    guard let slot = tables.records[record].fieldNamed[name.description] else { return nil }
    let field = span.lowerBound + slot
    guard field >= next else { return nil }
    names[field] = Name(
      address: UInt(bitPattern: name.utf8Start),
      count: name.utf8CodeUnitCount
    )
    return field
  }

  /// Whether the layout says that a field refers to nothing.
  @inline(__always)
  func refersToNothing(_ field: Int) -> Bool { !hasReferences[field] }

  /// Whether the values of a type refer to what the layout says of a field.
  ///
  /// The field `id` at the top is the entity's own ID and no reference.
  mutating func refers<Value>(_ field: Int, as type: Value.Type) -> Bool {
    if referring[field] == ObjectIdentifier(type) { return true }
    let isOwnID = field < spans[0].upperBound && tables.records[0].names[field] == "id"
    guard (isOwnID ? nil : ReferencedTables(of: type)) == references[field] else { return false }
    referring[field] = ObjectIdentifier(type)
    return true
  }

  /// Whether the layout has a field of that name in a record.
  func hasField(_ name: StaticString, in record: Int) -> Bool {
    tables.records[record].fieldNamed[name.description] != nil
  }
}

/// A record is not coded by the methods of its type, but by `Codable`.
struct CodedByCodable: Error {}
