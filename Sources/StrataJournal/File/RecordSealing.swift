public import Foundation
import StrataBase
package import StrataRecords

/// Seals records on their way into the file and opens them on the way back: encryption that the
/// program provides.
///
/// The library has no cryptography of its own. With swift-crypto or CryptoKit:
///
/// ```swift
/// struct Vault: RecordSealing {
///   let key: SymmetricKey
///
///   func seal(_ record: [UInt8], context: RecordContext) throws -> [UInt8] {
///     let box = try AES.GCM.seal(record, using: key, authenticating: context.bytes)
///     guard let combined = box.combined else { throw CryptoKitError.incorrectParameterSize }
///     return Array(combined)
///   }
///
///   func open(_ sealed: [UInt8], context: RecordContext) throws -> [UInt8] {
///     let box = try AES.GCM.SealedBox(combined: sealed)
///     return Array(try AES.GCM.open(box, using: key, authenticating: context.bytes))
///   }
/// }
/// ```
///
/// To change the key, let `seal` use the new one and `open` try both: each record moves to the new
/// key when it is next put.
public protocol RecordSealing: Sendable {
  /// Returns the bytes that the file stores for a record.
  ///
  /// Called on the writer's thread, once for each record. If it throws, the entity is not persisted, and is
  /// reported as such.
  func seal(_ record: [UInt8], context: RecordContext) throws -> [UInt8]

  /// Returns the record that was sealed for this context.
  ///
  /// Must throw for bytes that ``seal(_:context:)`` did not return. Called wherever the file is
  /// read.
  func open(_ sealed: [UInt8], context: RecordContext) throws -> [UInt8]
}

/// Which record is sealed.
///
/// Bind the sealed bytes to it, so that no record can pass for another.
public struct RecordContext: Sendable, Hashable {
  /// The identity of the store, the same in every copy of its file.
  public let store: UUID
  /// The name of the table; for a persisted value, `value:` and its name.
  public let table: String
  /// The encoded ID of the entity.
  public let id: [UInt8]

  /// Creates a context, to test a sealing.
  public init(store: UUID, table: String, id: [UInt8]) {
    self.store = store
    self.table = table
    self.id = id
  }

  /// The context as bytes, which differ for any two contexts.
  ///
  /// The 16 bytes of the store's identity, the length of the table's name in UTF-8 as 8 bytes
  /// (highest first), the name, the ID.
  public var bytes: [UInt8] {
    let name = Array(table.utf8)
    let length = withUnsafeBytes(of: UInt64(name.count).bigEndian) { Array($0) }
    return store.byteArray + length + name + id
  }
}

/// The stored form of a sealed record: an ordinary record with one field of bytes, so that merging,
/// verifying and showing need no key.
///
/// ```
/// sealed bytes, opened = varint layout, record
/// ```
///
/// The inner layout is one of the file's, as that of a record that is not sealed. The field has a name
/// that a Swift property cannot have, which distinguishes a sealed record from any other.
package enum SealedRecord {
  static let field = "$sealed"

  /// The layout of every sealed record.
  package static func layout() throws(RecordError) -> Layout {
    try Layout([Layout.Field(field, .scalar(.data))])
  }

  /// The map of a record without extras whose one field is as in its layout.
  private static let map: UInt8 = 0b1000

  /// Appends a record with these bytes in its field.
  package static func append(_ sealed: [UInt8], to bytes: inout [UInt8]) {
    bytes.append(map)
    bytes.appendVarint(UInt64(sealed.count))
    bytes += sealed
  }

  /// The bytes of the field.
  private static func sealed(in record: ArraySlice<UInt8>) throws(RecordError) -> [UInt8] {
    let sealed = try record.withCursor { cursor throws(RecordError) in
      let byte = try cursor.byte()
      guard byte == map else { throw .badTag(byte, at: record.startIndex) }
      let sealed = try cursor.block()
      guard cursor.remaining == 0 else { throw .trailingBytes(at: cursor.offset) }
      return sealed
    }
    return Array(record[sealed])
  }

  /// The sealed bytes of a record.
  ///
  /// - Throws: what the sealing throws.
  package static func seal(
    _ record: [UInt8],
    _ layout: Int64,
    with sealing: any RecordSealing,
    _ context: RecordContext
  ) throws -> [UInt8] {
    try sealing.seal(contents(layout, record), context: context)
  }

  /// The record that was sealed, and the number of its layout.
  ///
  /// - Throws: what the sealing throws; `RecordError`.
  package static func open(
    _ record: ArraySlice<UInt8>,
    with sealing: any RecordSealing,
    _ context: RecordContext
  ) throws -> (layout: Int64, record: ArraySlice<UInt8>) {
    try self.record(in: sealing.open(sealed(in: record), context: context))
  }

  private static func contents(_ layout: Int64, _ record: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(record.count + 2)
    bytes.appendVarint(UInt64(bitPattern: layout))
    return bytes + record
  }

  /// The record in bytes that were opened.
  private static func record(
    in contents: [UInt8]
  ) throws(RecordError) -> (layout: Int64, record: ArraySlice<UInt8>) {
    let (layout, start) = try contents[...].withCursor { cursor throws(RecordError) in
      (Int64(bitPattern: try cursor.varint()), cursor.offset)
    }
    return (layout, contents[start...])
  }
}

extension Layout {
  /// Whether it is the layout of sealed records.
  package var isOfSealedRecords: Bool {
    fields.count == 1 && fields[0].kind == .scalar(.data) && fields[0].name == SealedRecord.field
  }
}
