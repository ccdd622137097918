#if Postgres
  import CStrataPostgres
  import Dispatch
  import StrataBase

  /// Asks servers to stop statements whose time is over.
  ///
  /// libpq's call for it waits for the server without a limit, so it is made on a queue of its own, one at a time.
  /// A request that comes meanwhile is left out: the statement ends as its connection has ended, or
  /// takes effect, as after every time-out.
  final class PostgresCanceller: Sendable {
    private let queue = DispatchQueue(label: "strata.postgres.cancel", qos: .utility)
    private let isBusy = Lock(false)

    /// Asks the server of a connection to stop its statement; returns at once.
    func cancel(_ handle: OpaquePointer) {
      let isFirst = isBusy.withLock { isBusy in
        defer { isBusy = true }
        return !isBusy
      }
      guard isFirst else { return }
      guard let request = PQgetCancel(handle) else {
        isBusy.withLock { $0 = false }
        return
      }
      let address = UInt(bitPattern: request)
      queue.async { [isBusy] in
        let request = OpaquePointer(bitPattern: address)
        var message = [CChar](repeating: 0, count: 256)
        PQcancel(request, &message, Int32(message.count))
        PQfreeCancel(request)
        isBusy.withLock { $0 = false }
      }
    }
  }
#endif
