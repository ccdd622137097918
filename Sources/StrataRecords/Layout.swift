package import StrataBase

/// How to read a record: the names and kinds of its fields, in the order their values are stored.
///
/// A layout never changes. It is stored as its `body` and found again by its `id`, so that a million
/// records of one type name their fields once. Records written against a layout are read against that
/// one, whatever the type has become since.
package final class Layout: Sendable {
  /// One field of a record: where it stands in the list is where its value stands in the record.
  package struct Field: Hashable, Sendable {
    package let name: String
    package var kind: Kind
    /// What a value of the layout's kind refers to; a value with a tag of its own refers to nothing.
    package internal(set) var references: ReferencedTables?

    package init(_ name: String, _ kind: Kind, to references: ReferencedTables? = nil) {
      self.name = name
      self.kind = kind
      self.references = references
    }
  }

  /// What a field holds.
  package indirect enum Kind: Hashable, Sendable {
    /// The field has been seen only absent or null so far.
    case unknown
    case scalar(Scalar)
    /// Every element is of the kind or, if the array is flagged, has its own tag.
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
  /// - Throws: `duplicateField`, `tooDeep`, `tooManyFields`.
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

  /// The layout without fields, for values that are not records.
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

extension Layout.Kind: CustomStringConvertible {
  /// The kind as a person reads it: `string`, `array of int64`, `record`, `any`.
  package var description: String {
    switch self {
    case .unknown: "no value so far"
    case .scalar(let scalar): "\(scalar)"
    case .array(of: .unknown): "array"
    case .array(of: let kind): "array of \(kind)"
    case .record: "record"
    case .tagged: "any"
    }
  }
}
