/// The bytes of a record that was checked, for the values that are read from it.
final class StoredRecord: Sendable {
  private let bytes: [UInt8]
  let tables: LayoutTables

  /// Copies the bytes, which were checked in the strictest way: ``RecordScan/Texts/values``.
  init(_ checked: ArraySlice<UInt8>, _ tables: LayoutTables) {
    bytes = Array(checked)
    self.tables = tables
  }

  /// The record as a value.
  func top() -> RecordValue {
    read(at: 0) { cursor throws(RecordError) in
      let start = cursor.offset
      let isLone = try cursor.byte() == ValueLocation.loneValue
      if isLone { return try value(&cursor, try cursor.kind()) }
      cursor.offset = start
      return try value(&cursor, .top)
    }
  }

  /// The value of bytes that are not a whole record.
  func value(_ shape: LayoutTables.Shape) -> RecordValue {
    read(at: 0) { cursor throws(RecordError) in
      try value(&cursor, shape.kind == .tagged ? try cursor.kind() : shape)
    }
  }

  /// The value at the cursor, which moves past a value without parts and stays before any other.
  func value(
    _ cursor: inout ByteCursor,
    _ shape: LayoutTables.Shape
  ) throws(RecordError) -> RecordValue {
    let part = StoredPart(record: self, location: ValueLocation(cursor.offset, shape))
    let kind = shape.kind
    switch kind {
    case .null, .absent, .tagged: return .null
    case .array: return .array(.init(part))
    case .object, .record: return .object(.init(part))
    case .bool: return .bool(try cursor.bool(kind) ?? false)
    case .int8: return .int(try cursor.integer(kind) ?? 0, .bits8)
    case .int16: return .int(try cursor.integer(kind) ?? 0, .bits16)
    case .int32: return .int(try cursor.integer(kind) ?? 0, .bits32)
    case .int64: return .int(try cursor.integer(kind) ?? 0, .bits64)
    case .uint8: return .uint(try cursor.integer(kind) ?? 0, .bits8)
    case .uint16: return .uint(try cursor.integer(kind) ?? 0, .bits16)
    case .uint32: return .uint(try cursor.integer(kind) ?? 0, .bits32)
    case .uint64: return .uint(try cursor.integer(kind) ?? 0, .bits64)
    case .float: return try cursor.float(kind).map(RecordValue.float) ?? .null
    case .double: return try cursor.double(kind).map(RecordValue.double) ?? .null
    case .date: return try cursor.date(kind).map(RecordValue.date) ?? .null
    case .string: return try cursor.string(kind).map(RecordValue.string) ?? .null
    case .data: return try cursor.data(kind).map(RecordValue.data) ?? .null
    case .uuid: return try cursor.uuid(kind).map(RecordValue.uuid) ?? .null
    case .url: return try cursor.url(kind).map(RecordValue.url) ?? .null
    case .decimal: return try cursor.decimal(kind).map(RecordValue.decimal) ?? .null
    }
  }

  func read<Value>(
    at offset: Int,
    _ body: (inout ByteCursor) throws(RecordError) -> Value
  ) -> Value {
    do throws(RecordError) {
      return try bytes.withUnsafeBufferPointer { bytes throws(RecordError) in
        var cursor = ByteCursor(UnsafeRawBufferPointer(bytes), start: 0, at: offset)
        return try body(&cursor)
      }
    } catch {
      preconditionFailure("a record that passed its check cannot be read: \(error)")
    }
  }
}

/// An array, an object or a record within a record that was checked.
struct StoredPart: Sendable {
  let record: StoredRecord
  let location: ValueLocation
}

/// Iterates over the parts of an array, an object or a record.
struct StoredPartIterator {
  private let record: StoredRecord
  /// The fields of a record, which come before its extras.
  private let table: LayoutTables.Table
  private let map: Int
  private var field = 0
  private var hasExtras = false
  /// What an element is; nil for named members.
  private let element: LayoutTables.Shape?
  /// How many elements or named members are left.
  private var rest = 0
  /// The offset of the next part, or of the one returned last while it is not skipped yet.
  private(set) var offset: Int
  private var unread: LayoutTables.Shape?

  init(_ part: StoredPart) {
    record = part.record
    map = Int(part.location.offset)
    switch part.location.shape.kind {
    case .record: table = record.tables.records[part.location.shape.index]
    default: table = LayoutTables.noFields
    }
    let isArray = part.location.shape.kind == .array
    let element = isArray ? record.tables.elements[part.location.shape.index] : .tagged
    let isRecord = part.location.shape.kind == .record
    let mapSize = table.mapSize
    let start: (offset: Int, rest: Int, isTagged: Bool, hasExtras: Bool)
    start = record.read(at: map) { [map] cursor throws(RecordError) in
      if isArray {
        let (count, isTagged) = try cursor.arrayHeader()
        return (cursor.offset, count, isTagged, false)
      }
      guard isRecord else {
        let count = try cursor.count()
        return (cursor.offset, count, true, false)
      }
      try cursor.skip(mapSize)
      return (cursor.offset, 0, true, cursor.presence(0, map: map) == 1)
    }
    self.element = isArray ? (start.isTagged ? .tagged : element) : nil
    (offset, rest, hasExtras) = (start.offset, start.rest, start.hasExtras)
  }

  mutating func next() -> (name: String?, value: RecordValue)? {
    let record = record
    return record.read(at: offset) { cursor throws(RecordError) in
      if let unread {
        try RecordScan(record.tables, texts: .unchecked).value(unread, &cursor)
        self.unread = nil
      }
      defer { offset = cursor.offset }
      guard let (name, shape) = try nextPart(&cursor) else { return nil }
      let value = try record.value(&cursor, shape)
      if shape.kind.hasParts { unread = shape }
      return (name, value)
    }
  }

  /// Notes the end of the part that was returned last.
  mutating func noteEnd(_ end: Int) {
    guard unread != nil else { return }
    (offset, unread) = (end, nil)
  }

  /// The name and the kind of the next part; the cursor is then where its value starts.
  private mutating func nextPart(
    _ cursor: inout ByteCursor
  ) throws(RecordError) -> (name: String?, shape: LayoutTables.Shape)? {
    while field < table.names.count {
      let index = field
      field += 1
      switch cursor.presence(index + 1, map: map) {
      case 0: continue
      case 1: return (table.names[index], LayoutTables.Shape(.null))
      case 2: return (table.names[index], try Self.shape(table.shapes[index], &cursor))
      default: return (table.names[index], try cursor.kind())
      }
    }
    if hasExtras {
      hasExtras = false
      rest = try cursor.count()
    }
    guard rest > 0 else { return nil }
    rest -= 1
    if let element { return (nil, try Self.shape(element, &cursor)) }
    let name = String(decoding: cursor[try cursor.block()], as: UTF8.self)
    return (name, try cursor.kind())
  }

  private static func shape(
    _ shape: LayoutTables.Shape,
    _ cursor: inout ByteCursor
  ) throws(RecordError) -> LayoutTables.Shape {
    shape.kind == .tagged ? try cursor.kind() : shape
  }
}

extension ValueKind {
  fileprivate var hasParts: Bool {
    switch self {
    case .array, .object, .record: true
    default: false
    }
  }
}
