import Foundation
import TestSupport

/// What a server answered.
struct Received: Sendable {
  let status: Int
  let headers: [String: String]
  let body: String

  /// Reads an answer; nil where there is none.
  init?(_ bytes: [UInt8]) {
    let text = String(decoding: bytes, as: UTF8.self)
    guard let end = text.range(of: "\r\n\r\n") else { return nil }
    let lines = text[..<end.lowerBound].components(separatedBy: "\r\n")
    let words = lines[0].split(separator: " ")
    guard words.count >= 2, let status = Int(words[1]) else { return nil }
    self.status = status
    headers = Dictionary(
      lines.dropFirst().compactMap { line in
        let parts = line.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        return (parts[0].lowercased(), parts[1].trimmingCharacters(in: .whitespaces))
      }
    ) { first, _ in first }
    body = String(text[end.upperBound...])
  }

  /// The body as JSON.
  var json: [String: Any] {
    get throws {
      try JSONSerialization.jsonObject(with: Data(body.utf8)) as? [String: Any] ?? [:]
    }
  }

  /// The rows of an answer.
  var rows: [[String: Any]] { get throws { try json["rows"] as? [[String: Any]] ?? [] } }
}

/// A connection to a port of this machine, by system calls alone: what is sent is sent as it is.
final class Wire: Sendable {
  private let descriptor: Int32

  init(port: Int) throws {
    #if canImport(Darwin)
      let kind = SOCK_STREAM
    #else
      let kind = Int32(SOCK_STREAM.rawValue)
    #endif
    descriptor = socket(AF_INET, kind, 0)
    var limit = timeval(tv_sec: 60, tv_usec: 0)
    setsockopt(
      descriptor,
      SOL_SOCKET,
      SO_RCVTIMEO,
      &limit,
      socklen_t(MemoryLayout<timeval>.size)
    )
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(UInt16(port).bigEndian)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let result = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) }
    }
    guard result == 0 else {
      // The deinitializer closes the descriptor: it runs also after this.
      let reason = String(cString: strerror(errno))
      throw CocoaError(.fileReadUnknown, userInfo: [NSLocalizedDescriptionKey: reason])
    }
  }

  deinit { close(descriptor) }

  func send(_ text: String) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      #if canImport(Darwin)
        let flags: Int32 = 0
      #else
        let flags = Int32(MSG_NOSIGNAL)
      #endif
      let count = bytes.withUnsafeBytes {
        Foundation.send(descriptor, $0.baseAddress, $0.count, flags)
      }
      // A server that refuses a request may close while it is sent.
      guard count > 0 else { return }
      bytes = bytes.dropFirst(count)
    }
  }

  /// Waits until the server has closed the connection, and passes over what it sends before; false after a minute.
  func isEnded() -> Bool {
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      if count <= 0 { return count == 0 }
    }
  }

  /// Whether something has come that was not read yet.
  var hasReceived: Bool {
    var byte: UInt8 = 0
    let flags = Int32(MSG_PEEK) | Int32(MSG_DONTWAIT)
    return recv(descriptor, &byte, 1, flags) > 0
  }

  /// What comes until the connection ends, or until a condition is met.
  func receive(until isEnough: ([UInt8]) -> Bool = { _ in false }) -> [UInt8] {
    var received: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while !isEnough(received) {
      let count = recv(descriptor, &buffer, buffer.count, 0)
      guard count > 0 else { break }
      received += buffer[..<count]
    }
    return received
  }
}

/// Runs blocking work apart from the threads that tests share.
func blocking<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
  try await withCheckedThrowingContinuation { continuation in
    Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
  }
}
