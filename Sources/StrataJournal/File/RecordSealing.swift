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
  /// Called on the writer's thread, once for each record. When it throws, the entity is not
  /// persisted and is named as such.
  func seal(_ record: [UInt8], context: RecordContext) throws -> [UInt8]

  /// Returns the record that was sealed for this context.
  ///
  /// Must throw for bytes that ``seal(_:context:)`` did not return. Called wherever the file is
  /// read.
  func open(_ sealed: [UInt8], context: RecordContext) throws -> [UInt8]
}
