/// A layout made flat, so that a coder finds a field without walking or allocating anything.
struct LayoutTables: Sendable {
  /// The fields of one record.
  ///
  /// An object, so that handing one around costs one reference and not three.
  final class Table: Sendable {
    let names: [String]
    let shapes: [Shape]
    let fieldNamed: [String: Int]

    fileprivate init(
      names: [String] = [],
      shapes: [Shape] = [],
      fieldNamed: [String: Int] = [:]
    ) {
      self.names = names
      self.shapes = shapes
      self.fieldNamed = fieldNamed
    }
  }

  /// A kind whose parts are numbers into the tables.
  enum Shape: Hashable, Sendable {
    case unknown
    case tagged
    case scalar(Scalar)
    case array(element: Int)
    case record(table: Int)
  }

  /// Never empty: table 0 is the record itself.
  private(set) var records: [Table]
  private(set) var elements: [Shape] = []

  /// The tables of the layout without fields.
  init() {
    records = [Table()]
  }

  /// The tables of these fields; O(fields).
  ///
  /// - Throws: `duplicateField`, `tooDeep`.
  init(_ fields: [Layout.Field]) throws(RecordError) {
    self.init()
    records[0] = try table(fields, depth: 1)
  }

  private mutating func table(
    _ fields: [Layout.Field],
    depth: Int
  ) throws(RecordError) -> Table {
    guard depth <= RecordLimits.depth else { throw .tooDeep }
    var shapes: [Shape] = []
    var fieldNamed: [String: Int] = [:]
    for (index, field) in fields.enumerated() {
      guard fieldNamed.updateValue(index, forKey: field.name) == nil else {
        throw .duplicateField(field.name)
      }
      shapes.append(try shape(field.kind, depth: depth + 1))
    }
    return Table(names: fields.map(\.name), shapes: shapes, fieldNamed: fieldNamed)
  }

  private mutating func shape(_ kind: Layout.Kind, depth: Int) throws(RecordError) -> Shape {
    guard depth <= RecordLimits.depth else { throw .tooDeep }
    switch kind {
    case .unknown: return .unknown
    case .tagged: return .tagged
    case .scalar(let scalar): return .scalar(scalar)
    case .array(let element):
      let shape = try shape(element, depth: depth + 1)
      elements.append(shape)
      return .array(element: elements.count - 1)
    case .record(let fields):
      let number = records.count
      records.append(Table())
      records[number] = try table(fields, depth: depth)
      return .record(table: number)
    }
  }
}
