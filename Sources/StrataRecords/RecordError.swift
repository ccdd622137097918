import StrataBase

/// Why record or layout bytes could not be read, or a value could not be written as a record.
///
/// Offsets count from the start of the array that was passed in.
package enum RecordError: Error, Hashable, Sendable {
  /// The bytes end inside a value.
  case truncated(at: Int)
  /// A byte that stands for a kind, a flag or a version has a value that means nothing.
  case badTag(UInt8, at: Int)
  /// A number of variable length does not fit 64 bits, or is longer than it needs to be.
  case badVarint(at: Int)
  /// A text is not UTF-8.
  case badUTF8(at: Int)
  /// The text of a URL or of a decimal number is neither.
  case badText(at: Int)
  /// A count is larger than the remaining bytes could hold.
  case countTooLarge(UInt64, at: Int)
  /// A layout has more fields than `RecordLimits.fields`.
  case tooManyFields
  /// A change block has more entries than it may have.
  case tooManyEntries
  /// A layout names one field twice.
  case duplicateField(String)
  /// Values nest deeper than `RecordLimits.depth`, or than the stack of the thread has room for.
  case tooDeep
  /// Bytes are left over after the value.
  case trailingBytes(at: Int)
  /// One value asked its encoder for containers of two forms, or encoded two single values.
  case conflictingContainers
}

/// Limits of records.
package enum RecordLimits {
  /// How deep arrays, objects and records may nest, in bytes read or written.
  package static let depth = 256
  /// How deep calls of `encode(to:)` and `init(from:)` may nest: a value that wraps another in a
  /// single-value container makes a call without making a level.
  static let calls = 4 * depth
  /// How many fields a layout may have in all its records; an array in an array counts as one.
  ///
  /// A layout that this library makes has far fewer: see `LayoutGrowth`.
  package static let fields = 1 << 16

  /// Whether values may nest to a depth; the first levels have room on every stack.
  @inline(__always)
  static func allow(depth: Int) -> Bool {
    depth <= Self.depth && (depth < 16 || ThreadStack.hasRoom)
  }

  /// The same for calls of `encode(to:)` and `init(from:)`.
  @inline(__always)
  static func allow(calls: Int) -> Bool {
    calls < Self.calls && (calls < 16 || ThreadStack.hasRoom)
  }

  /// Checks that the offsets of a record fit into four bytes, in which they are kept.
  ///
  /// SQLite's largest row is smaller.
  @inline(__always)
  static func check(size record: ArraySlice<UInt8>) throws(RecordError) {
    guard record.endIndex < UInt32.max else {
      throw .countTooLarge(UInt64(record.count), at: record.startIndex)
    }
  }
}
