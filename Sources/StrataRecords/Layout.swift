package import StrataBase

// StrataRecords turns Codable values into compact records, and records into values.
//
// A `Layout` names the fields of a record once, in the order in which their values are stored; its
// `LayoutTables` are the same, flat and indexed: the compiled plan that both coders follow. The byte
// format of a record stands above `RecordEmitter`, that of a layout in `Layout+Body.swift`.
//
// Writing: `RecordWriter` lets a value encode itself. Its encoder and containers (`RecordEncoder`,
// `Record…EncodingContainer`) share one `RecordEncoding`. It appends every scalar to one buffer and
// notes in `EncodedParts` where it belongs, so members may come in any order. `RecordEmitter` then
// copies them in the order of the layout. What the layout does not list yet is written beside it and
// shown to `LayoutGrowth`, which makes the next layout.
//
// Reading: `RecordReader` copies a record, and `RecordScan` checks every byte of it, once. Then the
// decoder and its containers (`RecordDecoder`, `Record…DecodingContainer`) read from the bytes what is
// asked for; `RecordMembers` finds members by name, mostly the next one. What is kept is bounded by the
// depth of a record and the fields of its layout. `RecordValue` is a record read without its type.
//
// `LeafType` is the one list of the types that are stored as scalars; `ValueKind` is the one list of
// what a byte before a value may say.

/// How to read a record: the names and kinds of its fields, in the order their values are stored.
///
/// A layout never changes. It is stored as its `body` and found again by its `id`, so that a million
/// records of one type name their fields once. Records written against a layout are read against that
/// one, whatever the type has become since.
package final class Layout: Sendable {
  /// One field of a record: where it stands in the list is where its value stands in the record.
  package struct Field: Hashable, Sendable {
    package let name: String
    package internal(set) var kind: Kind

    package init(_ name: String, _ kind: Kind) {
      self.name = name
      self.kind = kind
    }
  }

  /// What a field holds.
  package indirect enum Kind: Hashable, Sendable {
    /// The field has been seen only absent or null so far.
    case unknown
    case scalar(Scalar)
    /// Every element of the kind, or, flagged in the array, every element with its own tag.
    case array(of: Kind)
    case record([Field])
    /// Any value, with its own tag: the field has been seen in two shapes, or holds dynamic keys.
    case tagged
  }

  package let fields: [Field]
  /// The bytes of this layout, from which it is read back.
  package let body: [UInt8]
  /// The hash of `body`.
  package let id: Checksum
  /// The same, flat and indexed, for the coders.
  let tables: LayoutTables

  /// A layout of these fields.
  ///
  /// - Throws: `duplicateField`, `tooDeep`.
  package init(_ fields: [Field]) throws(RecordError) {
    self.fields = fields
    tables = try LayoutTables(fields)
    body = Self.body(of: fields)
    id = Checksum(of: body)
  }

  private init() {
    fields = []
    tables = LayoutTables()
    body = Self.body(of: [])
    id = Checksum(of: body)
  }

  /// The layout that names no field: what a value that is no record is written against.
  package static let empty = Layout()
}

extension Layout: Hashable {
  package static func == (left: Layout, right: Layout) -> Bool {
    left === right || left.body == right.body
  }

  package func hash(into hasher: inout Hasher) {
    hasher.combine(id)
  }
}
