extension RecordValue {
  /// Reads a record without the type it was written from.
  ///
  /// A record's members come in its layout's order, absent ones left out, extras last. The record is
  /// checked here, in O(bytes); its parts are read when they are asked for.
  ///
  /// - Throws: `RecordError` when the bytes are no record of the layout.
  package init(record bytes: ArraySlice<UInt8>, layout: Layout) throws(RecordError) {
    try layout.check(bytes, texts: .values)
    self = StoredRecord(bytes, layout.tables).top()
  }

  /// Reads a record that has an array of its own.
  ///
  /// - Throws: `RecordError` when the bytes are no record of the layout.
  package init(record bytes: [UInt8], layout: Layout) throws(RecordError) {
    try self.init(record: bytes[...], layout: layout)
  }

  /// Reads a value behind its kind, which belongs to no record.
  ///
  /// - Throws: `RecordError` when the bytes are no such value.
  init(tagged bytes: ArraySlice<UInt8>) throws(RecordError) {
    try bytes.withCursor { cursor throws(RecordError) in
      try RecordScan.check(tagged: &cursor)
    }
    self = StoredRecord(bytes, Layout.empty.tables).value(.tagged)
  }
}
