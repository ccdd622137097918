public import Foundation
import StrataBase
import StrataStorage

/// Seals records on their way into the file and opens them on the way back: encryption, brought along
/// by the program.
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
/// To change the key, let `seal` use the new one and `open` try both: each record changes over when it
/// is next put.
public protocol RecordSealing: Sendable {
  /// Gives the bytes that are to stand in the file for a record.
  ///
  /// Called on the writer's thread, once a record. When it throws, the entity is not persisted, and
  /// named as such.
  func seal(_ record: [UInt8], context: RecordContext) throws -> [UInt8]

  /// Gives back the record that was sealed for this context.
  ///
  /// Must throw for bytes that are not what ``seal(_:context:)`` gave. Called where the file is read.
  func open(_ sealed: [UInt8], context: RecordContext) throws -> [UInt8]
}

/// Which record is sealed: to be bound to it, so that no record can be passed off as another.
public struct RecordContext: Sendable, Hashable {
  /// The store's identity, which every copy of its file keeps.
  public let store: UUID
  /// The table's name; of a persisted value `value:` and its name.
  public let table: String
  /// The entity's ID, as the file has it.
  public let id: [UInt8]

  /// Creates a context, to try a sealing with.
  public init(store: UUID, table: String, id: [UInt8]) {
    self.store = store
    self.table = table
    self.id = id
  }

  /// All of it as bytes: different for any two contexts.
  ///
  /// The 16 bytes of the store's identity, the length of the table's name in UTF-8 as 8 bytes, the
  /// highest first, the name, the ID.
  public var bytes: [UInt8] {
    let name = Array(table.utf8)
    let length = withUnsafeBytes(of: UInt64(name.count).bigEndian) { Array($0) }
    return store.byteArray + length + name + id
  }
}
