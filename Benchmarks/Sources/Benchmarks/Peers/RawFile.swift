import Foundation

/// A file that is appended to and synced: the minimum cost of a durable write.
final class RawFile {
  private let descriptor: Int32

  init(_ path: String) throws {
    descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
  }

  deinit { close(descriptor) }

  func appendAndSync(_ bytes: [UInt8]) {
    let written = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    #if canImport(Darwin)
      let synced = fcntl(descriptor, F_FULLFSYNC)
    #else
      let synced = fdatasync(descriptor)
    #endif
    guard written == bytes.count, synced == 0 else { fatalError("I/O error: errno \(errno)") }
  }
}
