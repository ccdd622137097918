/// A record taken apart: one token per value, in the order of the bytes.
///
/// One pass over the bytes checks every length, count, tag, text and depth, so whoever walks the tape
/// afterwards meets only what the layout promises and cannot run off the bytes. The tape of a record
/// holds the tokens of all its layout's fields, absent ones too, and then a name and a value for every
/// extra; an object holds a name and a value for every member.
package final class RecordTape: Sendable {
  /// One value.
  struct Token: Sendable {
    let tag: Tag
    /// The number of the first token that is not part of this value.
    var end: Int
    /// Where the bytes of a text, of data or of a UUID begin.
    var offset = 0
    /// A number's value or bit pattern, a signed one extended to 64 bits; the byte count of a text or
    /// data; the count of an array or object; the table of a record.
    var bits: UInt64 = 0
  }

  let bytes: ArraySlice<UInt8>
  let layout: Layout
  let tokens: [Token]

  /// Takes a record apart; O(bytes + fields of its layouts), and memory in proportion.
  ///
  /// - Throws: `RecordError`, for any bytes that are not one whole record of this layout.
  package init(_ bytes: ArraySlice<UInt8>, _ layout: Layout) throws(RecordError) {
    self.bytes = bytes
    self.layout = layout
    var parser = RecordParser(bytes, layout)
    tokens = try parser.top()
  }

  /// The tape of one tagged value that belongs to no record.
  init(tagged bytes: ArraySlice<UInt8>) throws(RecordError) {
    self.bytes = bytes
    layout = .empty
    var parser = RecordParser(bytes, layout)
    tokens = try parser.onlyTagged()
  }
}
