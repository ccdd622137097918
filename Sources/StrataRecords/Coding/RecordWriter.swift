/// Writes the values of one table as records, and grows the table's layout as it meets new fields.
///
/// ```swift
/// var writer = RecordWriter(resuming: storedLayout)
/// let layout = try writer.encode(user, into: &bytes)   // store the layout's body with the bytes
/// ```
///
/// A layout says the kinds of all that was written, also in lists and nested values, from the first record on: a text
/// such as JSON has them from there when the records are gone. So a record that does not fit makes a layout. A type has
/// only so many members, each with two kinds at most, so a table of ten thousand records has a few layouts.
///
/// Types with endless members are rationed: after 64 layouts, the next one is made only when 64 times as many records
/// have been written as when the last was made. Until then whatever does not fit is written beside the record, with its
/// name and kind, so nothing is ever lost to a layout. Members of the record itself do not wait even then: columns of
/// SQL are those of layouts.
///
/// A writer is a value: a copy grows apart.
package struct RecordWriter: Sendable {
  private static let ration = 64
  /// How many layouts are made without a ration.
  package static let unrationed = 64

  /// The layout that the last record was written against.
  package private(set) var layout: Layout
  private var growth: LayoutGrowth
  private var keyTypes = KeyTypes()
  private var written = 0
  /// How many layouts are still made without a ration.
  private var unrationed: Int
  /// The number of the first record that may make the next layout.
  private var nextGrowth: Int

  /// The buffers of the last record, reused for the next one.
  private var room = RecordParts()

  private var conformance = RecordCodableConformance()
  /// What the methods of a `RecordCodable` type write with; nil until one does, and for a new layout.
  private var fields: FieldWriting?

  /// A writer for a table that was last written against `layout`, or never.
  ///
  /// - Parameter unrationed: How many layouts it makes without a ration.
  package init(resuming layout: Layout? = nil, unrationed: Int = unrationed) {
    self.unrationed = unrationed
    self.layout = layout ?? .empty
    growth = LayoutGrowth(from: self.layout)
    nextGrowth = 1
  }

  /// Appends a value as a record, and returns the layout to read it with.
  ///
  /// The layout is the same object from record to record until it grows. O(bytes written); a record that
  /// makes a layout is encoded twice. If this throws, `bytes` is unchanged and the writer stays usable.
  ///
  /// - Throws: what the value's `encode(to:)` throws; `RecordError.tooDeep`;
  ///   `RecordError.conflictingContainers`.
  package mutating func encode(_ value: some Encodable, into bytes: inout [UInt8]) throws -> Layout
  {
    if writeByHand(value, into: &bytes) {
      written += 1
      return layout
    }
    let start = bytes.count
    if try write(value, layout, into: &bytes) == .partial, growth.isWanted,
      growth.isUrgent || unrationed > 0 || written + 1 >= nextGrowth
    {
      bytes.removeLast(bytes.count - start)
      let grown = try Layout(growth.fields)
      _ = try write(value, grown, into: &bytes)
      layout = grown
      unrationed = max(unrationed - 1, 0)
      fields = nil
      growth = LayoutGrowth(from: grown, continuing: growth)
      nextGrowth = (written + 1) * Self.ration
    }
    // A first record that needs no field has made its layout too: the empty one.
    if written == 0, layout.fields.isEmpty { nextGrowth = Self.ration }
    written += 1
    return layout
  }

  /// Writes the value of a `RecordCodable` type; false, with `bytes` unchanged, if `Codable` has to encode
  /// it.
  private mutating func writeByHand<Value: Encodable>(
    _ value: Value,
    into bytes: inout [UInt8]
  ) -> Bool {
    guard let type = conformance.conformance(of: Value.self), !layout.fields.isEmpty else {
      return false
    }
    if fields == nil { fields = FieldWriting(layout) }
    return withUnsafeBytes(of: value) { value in
      guard let address = value.baseAddress else { return false }
      return fields?.write(type, address, to: &bytes) ?? false
    }
  }

  /// Writes the value only when all of it could be encoded.
  private mutating func write(
    _ value: some Encodable,
    _ layout: Layout,
    into bytes: inout [UInt8]
  ) throws -> RecordEmitter.Fit {
    var parts = RecordParts()
    swap(&parts, &room)
    let encoding = RecordEncoding(layout, keyTypes: keyTypes, reusing: parts)
    parts = RecordParts()
    defer { keyTypes = encoding.keyTypes }
    try encoding.encode(value)
    parts = encoding.takeParts()
    let fit = try RecordEmitter.emit(parts, layout, to: &bytes)
    if fit == .partial { growth.learn(from: parts, layout) }
    parts.reset()
    swap(&parts, &room)
    return fit
  }
}
