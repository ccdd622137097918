/// A layout made flat, so that the encoder and the decoder find a field without walking or allocating
/// anything: the compiled plan of a record.
final class LayoutTables: Sendable {
  /// The fields of one record.
  ///
  /// A class, so that passing one around costs one reference instead of three.
  final class Table: Sendable {
    let names: [String]
    let shapes: [Shape]
    let fieldNamed: [String: Int]
    /// What each field refers to; empty when none refers to anything.
    let references: [ReferencedTables?]

    /// How many bytes the map of a record has: two bits for the record and for each field.
    @inline(__always)
    var mapSize: Int { names.count / 4 + 1 }

    fileprivate init(
      names: [String] = [],
      shapes: [Shape] = [],
      fieldNamed: [String: Int] = [:],
      references: [ReferencedTables?] = []
    ) {
      self.references = references
      self.names = names
      self.shapes = shapes
      self.fieldNamed = fieldNamed
    }
  }

  /// A kind whose parts are indices into the tables.
  ///
  /// Four bytes, so that a decoder fits into an existential without an allocation.
  struct Shape: Sendable {
    let kind: ValueKind
    private let high: UInt8
    private let low: UInt16

    init(_ kind: ValueKind, index: Int = 0) {
      self.kind = kind
      high = UInt8(truncatingIfNeeded: index >> 16)
      low = UInt16(truncatingIfNeeded: index)
    }

    /// The index of a record's table, or of an array's element.
    @inline(__always)
    var index: Int { Int(high) << 16 | Int(low) }

    /// The index of the table, for a record.
    @inline(__always)
    var table: Int? { kind == .record ? index : nil }

    static let top = Shape(.record)
    static let tagged = Shape(.tagged)
  }

  /// The fields of a value that has none.
  static let noFields = Table()

  /// Never empty: table 0 is the record itself.
  let records: [Table]
  /// Never empty: element 0 is that of an array which no layout describes.
  let elements: [Shape]

  /// Whether a field refers to entities.
  var hasReferences: Bool { records.contains { !$0.references.isEmpty } }

  /// The tables of the layout without fields.
  init() {
    records = [Table()]
    elements = [Shape(.null)]
  }

  /// The tables of these fields; O(fields).
  ///
  /// - Throws: `duplicateField`, `tooDeep`, `tooManyFields`.
  init(_ fields: [Layout.Field]) throws(RecordError) {
    var builder = Builder()
    builder.records[0] = try builder.table(fields, depth: 1)
    records = builder.records
    elements = builder.elements
  }
}

extension LayoutTables {
  private struct Builder {
    var records = [Table()]
    var elements = [Shape(.null)]
    private var left = RecordLimits.fields

    mutating func table(_ fields: [Layout.Field], depth: Int) throws(RecordError) -> Table {
      guard RecordLimits.allow(depth: depth) else { throw .tooDeep }
      var shapes: [Shape] = []
      var fieldNamed: [String: Int] = [:]
      for (index, field) in fields.enumerated() {
        guard fieldNamed.updateValue(index, forKey: field.name) == nil else {
          throw .duplicateField(field.name)
        }
        shapes.append(try shape(field.kind, depth: depth + 1))
      }
      let references = fields.map(\.references)
      return Table(
        names: fields.map(\.name),
        shapes: shapes,
        fieldNamed: fieldNamed,
        references: references.contains { $0 != nil } ? references : []
      )
    }

    private mutating func shape(_ kind: Layout.Kind, depth: Int) throws(RecordError) -> Shape {
      guard RecordLimits.allow(depth: depth) else { throw .tooDeep }
      guard left > 0 else { throw .tooManyFields }
      left -= 1
      switch kind {
      case .unknown: return Shape(.null)
      case .tagged: return .tagged
      case .scalar(let scalar): return Shape(ValueKind(scalar))
      case .array(let element):
        let shape = try shape(element, depth: depth + 1)
        elements.append(shape)
        return Shape(.array, index: elements.count - 1)
      case .record(let fields):
        let number = records.count
        records.append(Table())
        records[number] = try table(fields, depth: depth)
        return Shape(.record, index: number)
      }
    }
  }
}
