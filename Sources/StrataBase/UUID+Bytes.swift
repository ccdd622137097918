package import Foundation

extension UUID {
  /// The 16 bytes, the form of UUIDs in files.
  package var byteArray: [UInt8] { withUnsafeBytes(of: uuid) { Array($0) } }

  /// Reads a UUID; nil unless there are 16 bytes.
  package init?(byteArray bytes: [UInt8]) {
    guard bytes.count == 16 else { return nil }
    // Not `UUID().uuid`, which asks the system for random bytes.
    var uuid: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
    withUnsafeMutableBytes(of: &uuid) { $0.copyBytes(from: bytes) }
    self.init(uuid: uuid)
  }
}
