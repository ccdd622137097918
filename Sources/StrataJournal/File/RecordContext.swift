public import Foundation
import StrataBase

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
