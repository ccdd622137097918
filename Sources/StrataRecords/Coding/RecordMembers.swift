/// The members of one record or object, by their names: what a keyed container shares with its copies.
///
/// Types ask for their members in the order in which they were written. So only the field found last is kept,
/// and the search continues behind it; if a type goes back, the offsets of all fields are noted.
///
/// A class with constant parts, because the standard library copies a container for every member, and a copy
/// costs one retain for each reference.
final class RecordMembers: DecodingContext {
  private let value: ValueLocation
  /// A cursor over the record; the bytes stay in place as long as the decoding.
  private let cursor: ByteCursor
  /// The fields of a record's layout; none for an object.
  private let table: LayoutTables.Table
  /// The members that the layout does not list.
  private let named: NamedMembers?
  /// The field that was found last, and where it is.
  private var field = -1
  private var offset: Int
  /// The offset of the next field, once it is known.
  private var end: Int?
  /// Whether the member that was found last is that field, not a member outside the layout.
  private var isField = false
  /// The offsets of all fields, once they are asked for in another order.
  private var positions: [UInt32]?

  /// The members of a value, or nil if it has none; O(fields), and O(bytes) if there are members outside the
  /// layout.
  init?(_ decoder: RecordDecoder) throws(RecordError) {
    value = decoder.value
    let decoding = decoder.decoding
    var cursor = decoding.cursor(at: Int(value.offset))
    switch value.kind {
    case .record:
      table = decoding.tables.records[value.shape.index]
      try cursor.skip(table.mapSize)
      (offset, end) = (cursor.offset, cursor.offset)
      if cursor.presence(0, map: Int(value.offset)) == 1 {
        cursor.offset = Int(value.offset)
        try decoding.scan.locate(table, &cursor) { _ in }
        named = try NamedMembers(&cursor, decoding.scan)
        decoding.coverage?.noteExtras(of: value.shape.index)
      } else {
        named = nil
      }
    case .object:
      table = LayoutTables.noFields
      (offset, end) = (cursor.offset, nil)
      named = try NamedMembers(&cursor, decoding.scan)
    default: return nil
    }
    self.cursor = cursor
    var defaults = decoder.context.defaults
    if decoder.field >= 0, defaults != nil {
      defaults = try decoder.context.defaulted(decoder.context.fieldName(decoder.field))
    }
    super.init(decoding, decoder.key, in: decoder.context, defaults: defaults)
  }

  override func fieldName(_ field: Int32) -> String { table.names[Int(field)] }

  /// The decoder that this is the container of.
  var decoder: RecordDecoder { RecordDecoder(context: self, value: value) }

  /// The number of the field that was found last, if it has this name.
  func lastField(named name: String) -> Int32? {
    field >= 0 && table.names[field] == name ? Int32(field) : nil
  }

  /// A cursor where a member starts.
  @inline(__always)
  func cursor(at member: ValueLocation) -> ByteCursor {
    var cursor = cursor
    // An absent member and null have no offset, and this record may start later in its bytes.
    cursor.offset = max(Int(member.offset), Int(value.offset))
    return cursor
  }

  /// The member of that name, or an absent one.
  @inline(__always)
  func member(_ name: String) throws(RecordError) -> ValueLocation {
    var index = field + 1
    if index >= table.names.count || table.names[index] != name {
      if index > 0, table.names[index - 1] == name {
        index -= 1
      } else if let found = table.fieldNamed[name] {
        index = found
      } else {
        return try namedMember(name)
      }
    }
    var cursor = cursor
    let map = Int(value.offset)
    let presence = cursor.presence(index + 1, map: map)
    if index == field + 1, let end {
      cursor.offset = end
    } else if index > field, positions == nil {
      cursor.offset = offset
      for index in max(field, 0)..<index {
        try decoding.scan.field(index, table.shapes[index], map, &cursor)
      }
    } else if index != field {
      cursor.offset = Int(try notedPositions()[index])
    } else {
      cursor.offset = offset
    }
    (field, offset, end) = (index, cursor.offset, presence < 2 ? cursor.offset : nil)
    isField = true
    switch presence {
    case 0: return .absent
    case 1: return .null
    case 2: return try ValueLocation(&cursor, table.shapes[index])
    default: return try ValueLocation(&cursor, .tagged)
    }
  }

  /// Notes the end of the field that was found last, which was just read.
  @inline(__always)
  func noteEnd(_ end: Int) {
    if isField { self.end = end }
  }

  private func notedPositions() throws(RecordError) -> [UInt32] {
    if let positions { return positions }
    var cursor = cursor
    cursor.offset = Int(value.offset)
    var positions: [UInt32] = []
    positions.reserveCapacity(table.names.count)
    try decoding.scan.locate(table, &cursor) { positions.append($0) }
    self.positions = positions
    return positions
  }

  private func namedMember(_ name: String) throws(RecordError) -> ValueLocation {
    isField = false
    guard let named else { return .absent }
    var cursor = cursor
    return try named.member(name, &cursor) ?? .absent
  }

  /// The names of all that is present, null included, in the stored order.
  func names() throws(RecordError) -> [String] {
    var cursor = cursor
    var names: [String] = []
    for (index, name) in table.names.enumerated()
    where cursor.presence(index + 1, map: Int(value.offset)) != 0 {
      names.append(name)
    }
    if let named { names += try named.names(&cursor) }
    return names
  }
}

/// Finds members that are stored with their names: those of an object, and the extras of a record.
///
/// They are sorted, and types mostly ask for them in that order, so the next one is tried first. For
/// other orders an index of four bytes a member is made, the first time it is needed.
final class NamedMembers {
  private let scan: RecordScan
  /// The names, each followed by its value.
  private let range: Range<Int>
  /// The offset of the member after the one that was found last.
  private var next: Int
  /// The offsets of all members, sorted by their names.
  private var index: [UInt32]?
  private var isASCII = true

  /// The members whose count is at the cursor; O(their bytes).
  init(_ cursor: inout ByteCursor, _ scan: RecordScan) throws(RecordError) {
    self.scan = scan
    let start = cursor.offset
    try scan.members(&cursor)
    let end = cursor.offset
    cursor.offset = start
    _ = try cursor.count()
    range = cursor.offset..<end
    next = range.lowerBound
  }

  /// The member of that name, if there is one; the first of two with the same name.
  func member(
    _ name: String,
    _ cursor: inout ByteCursor
  ) throws(RecordError) -> ValueLocation? {
    if next < range.upperBound {
      cursor.offset = next
      let stored = try cursor.block()
      if cursor[stored].isText(name) { return try found(next, &cursor) }
    }
    if index == nil { index = try makeIndex(&cursor) }
    guard let index else { return nil }
    if let offset = try search(name, index, &cursor) { return try found(offset, &cursor) }
    // Strings that are composed differently are equal in Swift, though their bytes differ.
    guard !isASCII || !name.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
    for offset in index.sorted() {
      cursor.offset = Int(offset)
      let stored = try cursor.block()
      if cursor[stored].isText(name) { return try found(Int(offset), &cursor) }
    }
    return nil
  }

  /// The names in the stored order.
  func names(_ cursor: inout ByteCursor) throws(RecordError) -> [String] {
    var names: [String] = []
    cursor.offset = range.lowerBound
    while cursor.offset < range.upperBound {
      names.append(String(decoding: cursor[try cursor.block()], as: UTF8.self))
      try scan.tagged(&cursor)
    }
    return names
  }

  private func found(_ offset: Int, _ cursor: inout ByteCursor) throws(RecordError) -> ValueLocation
  {
    cursor.offset = offset
    let end = try cursor.block().upperBound
    try scan.tagged(&cursor)
    next = cursor.offset
    cursor.offset = end
    return try ValueLocation(&cursor, .tagged)
  }

  private func makeIndex(_ cursor: inout ByteCursor) throws(RecordError) -> [UInt32] {
    var index: [UInt32] = []
    var isSorted = true
    var last: Range<Int>?
    cursor.offset = range.lowerBound
    while cursor.offset < range.upperBound {
      index.append(UInt32(truncatingIfNeeded: cursor.offset))
      let name = try cursor.block()
      if let last { isSorted = isSorted && cursor[last].lexicographicallyPrecedes(cursor[name]) }
      isASCII = isASCII && cursor[name].isASCII
      last = name
      try scan.tagged(&cursor)
    }
    guard !isSorted else { return index }
    do {
      try index.sort {
        cursor.offset = Int($0)
        let left = try cursor.block()
        cursor.offset = Int($1)
        let right = try cursor.block()
        if cursor[left].lexicographicallyPrecedes(cursor[right]) { return true }
        return $0 < $1 && cursor[left].elementsEqual(cursor[right])
      }
    } catch let error as RecordError {
      throw error
    } catch {
      preconditionFailure("sorting throws what its comparison throws")
    }
    return index
  }

  /// The first member whose name has these bytes.
  private func search(
    _ name: String,
    _ index: [UInt32],
    _ cursor: inout ByteCursor
  ) throws(RecordError) -> Int? {
    var (low, high) = (0, index.count)
    while low < high {
      let middle = (low + high) / 2
      cursor.offset = Int(index[middle])
      let stored = try cursor.block()
      if cursor[stored].lexicographicallyPrecedes(name.utf8) {
        low = middle + 1
      } else {
        high = middle
      }
    }
    guard low < index.count else { return nil }
    cursor.offset = Int(index[low])
    let stored = try cursor.block()
    return cursor[stored].elementsEqual(name.utf8) ? Int(index[low]) : nil
  }
}

extension UnsafeRawBufferPointer {
  /// Whether the bytes are a text that Swift holds equal to this one.
  fileprivate func isText(_ text: String) -> Bool {
    if elementsEqual(text.utf8) { return true }
    if isASCII, text.utf8.allSatisfy({ $0 < 0x80 }) { return false }
    return String(decoding: self, as: UTF8.self) == text
  }
}
