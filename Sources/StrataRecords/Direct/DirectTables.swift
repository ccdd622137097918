/// What a value is, in four bytes, so that decoders and containers fit an existential's own room.
struct DirectShape: Equatable {
  /// Scalars as `Scalar` counts them, and what has no scalar.
  enum Kind: UInt8 {
    case null
    case bool
    case int8, int16, int32, int64
    case uint8, uint16, uint32, uint64
    case float, double
    case string, data
    case date, uuid, url, decimal
    case array, record
    /// Nothing that the direct reader reads.
    case other
  }

  let kind: Kind
  /// The number of an array's element, of a record's table.
  let index: UInt16

  static let null = DirectShape(kind: .null, index: 0)
  static let other = DirectShape(kind: .other, index: 0)
}

/// A layout's tables in a row, for the direct reader.
final class DirectTables: Sendable {
  /// The fields of one record: a run of all fields.
  struct Table {
    let first: Int
    let count: Int
  }

  let tables: [Table]
  /// The fields of each table by name, as numbers within the table.
  let indexes: [[String: Int]]
  let names: [String]
  let shapes: [DirectShape]
  let elements: [DirectShape]

  /// Whether the layout has no more tables than a shape counts.
  let isComplete: Bool

  /// The tables of a layout, or none when there are too many.
  init(_ layout: LayoutTables) {
    let most = Int(UInt16.max)
    isComplete = layout.records.count <= most && layout.elements.count <= most
    let layout = isComplete ? layout : LayoutTables()
    var tables: [Table] = []
    var names: [String] = []
    for table in layout.records {
      tables.append(Table(first: names.count, count: table.names.count))
      names += table.names
    }
    self.tables = tables
    self.names = names
    indexes = layout.records.map(\.fieldNamed)
    shapes = layout.records.flatMap { $0.shapes.map(Self.shape) }
    elements = layout.elements.map(Self.shape)
  }

  private static func shape(_ shape: LayoutTables.Shape) -> DirectShape {
    switch shape {
    case .unknown, .tagged: .other
    case .scalar(let scalar):
      DirectShape.Kind(rawValue: scalar.rawValue).map { DirectShape(kind: $0, index: 0) } ?? .other
    case .array(let element): DirectShape(kind: .array, index: UInt16(element))
    case .record(let table): DirectShape(kind: .record, index: UInt16(table))
    }
  }
}
