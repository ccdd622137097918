package import Foundation

extension UUID {
  /// The 16 bytes, as they stand in the file.
  package var byteArray: [UInt8] { withUnsafeBytes(of: uuid) { Array($0) } }

  /// The UUID of 16 bytes, or nil for another number of them.
  package init?(byteArray bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    var uuid = UUID().uuid
    withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
    self.init(uuid: uuid)
  }
}
