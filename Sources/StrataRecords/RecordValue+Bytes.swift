import Foundation

/// Values as record bytes; the byte layout stands above `RecordEmitter`.
extension RecordValue {
  /// Appends the value, preceded by its tag.
  func appendTagged(to bytes: inout [UInt8]) {
    switch self {
    case .null: bytes.append(ValueKind.null.rawValue)
    case .array: bytes.append(ValueKind.array.rawValue)
    case .object: bytes.append(ValueKind.object.rawValue)
    default: if let scalar { bytes.append(scalar.rawValue) }
    }
    appendPayload(to: &bytes)
  }

  /// Appends the value alone, for a reader that knows its kind.
  func appendPayload(to bytes: inout [UInt8]) {
    switch self {
    case .null: break
    case .bool(let value): bytes.append(value ? 1 : 0)
    case .int(let value, .bits8): bytes.append(UInt8(truncatingIfNeeded: value))
    case .int(let value, _): bytes.appendZigzag(value)
    case .uint(let value, .bits8): bytes.append(UInt8(truncatingIfNeeded: value))
    case .uint(let value, _): bytes.appendVarint(value)
    case .float(let value): bytes.appendFixed(value.bitPattern)
    case .double(let value): bytes.appendFixed(value.bitPattern)
    case .string(let value): bytes.appendText(value)
    case .data(let value):
      bytes.appendVarint(UInt64(value.count))
      bytes.append(contentsOf: value)
    case .date(let value): bytes.appendFixed(value.timeIntervalSinceReferenceDate.bitPattern)
    case .uuid(let value): withUnsafeBytes(of: value.uuid) { bytes.append(contentsOf: $0) }
    case .url(let value): bytes.appendText(value.absoluteString)
    case .decimal(let value): bytes.appendText(value.description)
    case .array(let elements):
      let elements = Array(elements)
      bytes.appendVarint(UInt64(elements.count) << 1 | 1)
      for element in elements { element.appendTagged(to: &bytes) }
    case .object(let members):
      let members = Array(members)
      bytes.appendVarint(UInt64(members.count))
      for member in members {
        bytes.appendText(member.name)
        member.value.appendTagged(to: &bytes)
      }
    }
  }
}

extension RecordValue {
  /// Reads a record without the type it was written from.
  ///
  /// A record's members come in its layout's order, absent ones left out, extras last. The record is
  /// checked here, in O(bytes); its parts are read when they are asked for.
  ///
  /// - Throws: `RecordError` if the bytes are not a record of the layout.
  package init(record bytes: ArraySlice<UInt8>, layout: Layout) throws(RecordError) {
    try layout.check(bytes, texts: .values)
    self = StoredRecord(bytes, layout.tables).top()
  }

  /// Reads a record that has an array of its own.
  ///
  /// - Throws: `RecordError` if the bytes are not a record of the layout.
  package init(record bytes: [UInt8], layout: Layout) throws(RecordError) {
    try self.init(record: bytes[...], layout: layout)
  }

  /// Reads a tagged value that belongs to no record.
  ///
  /// - Throws: `RecordError` if the bytes are not a tagged value.
  init(tagged bytes: ArraySlice<UInt8>) throws(RecordError) {
    try bytes.withCursor { cursor throws(RecordError) in
      try RecordScan.check(tagged: &cursor)
    }
    self = StoredRecord(bytes, Layout.empty.tables).value(.tagged)
  }
}
