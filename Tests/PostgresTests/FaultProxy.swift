#if Postgres
  import Foundation
  import StrataBase

  /// Passes TCP connections on to a port, and does to them what networks do.
  final class FaultProxy: Sendable {
    /// What happens to the bytes of one direction.
    enum Flow: Sendable {
      case passes
      /// They wait, and pass later.
      case waits
      /// They are lost, and the sender does not see it.
      case isLost
    }

    private struct State {
      var toServer = Flow.passes
      var toClient = Flow.passes
      var connections: [[Int32]] = []
      var accepted = 0
      var isClosed = false
    }

    let port: Int
    private let target: Int
    private let listener: Int32
    private let state = Lock(State())

    init(to target: Int) throws {
      port = try PostgresServer.freePort()
      self.target = target
      listener = socket(AF_INET, PostgresServer.streamSocket, 0)
      let listener = listener
      var yes: Int32 = 1
      setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, 4)
      guard Self.withAddress(port, { bind(listener, $0, $1) }) == 0, listen(listener, 16) == 0
      else { throw Command.Failure(description: "the proxy cannot listen: errno \(errno)") }
      Thread.detachNewThread { [weak self] in
        while true {
          let client = accept(listener, nil, nil)
          guard client >= 0, let self else { return }
          self.connect(client)
        }
      }
    }

    deinit { close() }

    /// Ends it with its connections.
    func close() {
      let isFirst = state.withLock { state in
        defer { state.isClosed = true }
        return !state.isClosed
      }
      guard isFirst else { return }
      shutdown(listener, Int32(SHUT_RDWR))
      _ = Foundation.close(listener)
      cut()
    }

    /// The number of connections so far.
    var accepted: Int { state.withLock { $0.accepted } }

    /// What happens from now on, also on new connections.
    func set(toServer: Flow, toClient: Flow) {
      state.withLock {
        $0.toServer = toServer
        $0.toClient = toClient
      }
    }

    /// Ends all connections.
    func cut() {
      let connections = state.withLock { state in
        defer { state.connections = [] }
        return state.connections
      }
      for socket in connections.flatMap({ $0 }) { shutdown(socket, Int32(SHUT_RDWR)) }
    }

    private static func withAddress(
      _ port: Int,
      _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = UInt16(port).bigEndian
      address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
      return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
        }
      }
    }

    private func connect(_ client: Int32) {
      let server = socket(AF_INET, PostgresServer.streamSocket, 0)
      guard Self.withAddress(target, { Foundation.connect(server, $0, $1) }) == 0 else {
        _ = Foundation.close(client)
        _ = Foundation.close(server)
        return
      }
      state.withLock {
        $0.connections.append([client, server])
        $0.accepted += 1
      }
      let ends = Lock(2)
      for (source, sink, flow) in [
        (client, server, \State.toServer), (server, client, \State.toClient),
      ] as [(Int32, Int32, KeyPath<State, Flow> & Sendable)] {
        let state = state
        Thread.detachNewThread {
          Self.pump(from: source, to: sink) { state.withLock { $0[keyPath: flow] } }
          shutdown(source, Int32(SHUT_RDWR))
          shutdown(sink, Int32(SHUT_RDWR))
          // The one that ends last closes both, so that no number is used again before.
          let isLast = ends.withLock { ends in
            ends -= 1
            return ends == 0
          }
          guard isLast else { return }
          state.withLock { $0.connections.removeAll { $0 == [client, server] } }
          _ = Foundation.close(client)
          _ = Foundation.close(server)
        }
      }
    }

    private static func pump(from source: Int32, to sink: Int32, _ flow: () -> Flow) {
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      while true {
        var entry = pollfd(fd: source, events: Int16(POLLIN), revents: 0)
        if poll(&entry, 1, 5) == 0 { continue }
        let now = flow()
        if now == .waits {
          if Int32(entry.revents) & (POLLHUP | POLLERR) != 0 { return }
          Thread.sleep(forTimeInterval: 0.002)
          continue
        }
        let size = recv(source, &buffer, buffer.count, 0)
        if size <= 0 { return }
        if now == .isLost { continue }
        var sent = 0
        while sent < size {
          let part = buffer.withUnsafeBytes {
            send(sink, $0.baseAddress?.advanced(by: sent), size - sent, Int32(MSG_NOSIGNAL))
          }
          if part <= 0 { return }
          sent += part
        }
      }
    }
  }
#endif
