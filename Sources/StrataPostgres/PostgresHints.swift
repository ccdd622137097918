#if Postgres
  import Dispatch
  import Foundation
  import StrataBase
  import StrataJournal

  /// Wakes followers by NOTIFY, at most 100 times a second, on a connection and a queue of its own.
  ///
  /// A NOTIFY makes transactions wait for each other when they end, so it is in no transaction of the archive. One that
  /// fails is left out.
  final class PostgresNotifier: Sendable {
    private struct State {
      var isScheduled = false
      var next = ContinuousClock.now
    }

    private let worker: Worker
    private let state = Lock(State())

    init(_ access: PostgresAccess, store: String) { worker = Worker(access, store) }

    /// Wakes them soon; returns at once.
    func notify() {
      let delay: Duration? = state.withLock { state in
        guard !state.isScheduled else { return nil }
        state.isScheduled = true
        return max(.zero, state.next - .now)
      }
      guard let delay else { return }
      worker.executor.schedule(after: delay) { [state, worker] in
        state.withLock { $0 = State(isScheduled: false, next: .now + .milliseconds(10)) }
        worker.assumeIsolated { $0.notify() }
      }
    }

    private actor Worker {
      nonisolated let executor = FileExecutor(label: "strata.postgres.notify")
      nonisolated var unownedExecutor: UnownedSerialExecutor {
        executor.asUnownedSerialExecutor()
      }
      private let access: PostgresAccess
      private let store: String
      private var connection: PostgresConnection?
      /// When to connect again after an error.
      private var pausesUntil = PostgresConnection.Deadline.now

      init(_ access: PostgresAccess, _ store: String) {
        self.access = access
        self.store = store
      }

      func notify() {
        guard pausesUntil <= .now else { return }
        do throws(PostgresFailure) {
          if connection?.isUsable() != true { connection = try access.connect() }
          _ = try connection?.run(
            PostgresStatements.notify,
            [.text(store)],
            until: .now + access.callTimeout
          )
        } catch {
          connection = nil
          pausesUntil = .now + .seconds(5)
        }
      }
    }
  }

  /// Listens for what ``PostgresNotifier`` sends, on a thread and a connection of its own.
  struct PostgresListener: Sendable {
    private let access: PostgresAccess
    private let store: String
    private let stop: StopSignal
    private let continuation: AsyncStream<Void>.Continuation

    /// A stream that has an element after each notification; several at once are one.
    static func stream(_ access: PostgresAccess, store: String) -> AsyncStream<Void>? {
      guard let stop = StopSignal() else { return nil }
      return AsyncStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
        let listener = PostgresListener(
          access: access,
          store: store,
          stop: stop,
          continuation: continuation
        )
        continuation.onTermination = { _ in stop.send() }
        Thread.detachNewThread { listener.run() }
      }
    }

    private func run() {
      var pause = Self.shortestPause
      while true {
        // A hint is never needed: a follower also asks by itself. So an error only delays the next attempt.
        if let connection = try? connected() {
          pause = Self.shortestPause
          // What came before it listened.
          continuation.yield()
          if follow(connection) { return }
        }
        if stop.comes(within: pause) { return }
        pause = min(pause * 2, Self.longestPause)
      }
    }

    private static let shortestPause = Duration.milliseconds(500)
    private static let longestPause = Duration.seconds(15)

    /// A connection that listens.
    private func connected() throws -> PostgresConnection? {
      let connection = try access.connect()
      let deadline = PostgresConnection.Deadline.now + access.callTimeout
      let rows = try connection.run(
        PostgresStatements.channelName,
        [.text(store)],
        until: deadline
      )
      guard let channel = try rows.first?.text(0) else { return nil }
      _ = try connection.run(PostgresStatements.listen(to: channel), until: deadline)
      return connection
    }

    /// Returns true when it is to stop, and false when the connection ends.
    private func follow(_ connection: PostgresConnection) -> Bool {
      while true {
        do throws(PostgresFailure) {
          if try connection.takeNotifications() { continuation.yield() }
        } catch {
          return false
        }
        var entries = [
          pollfd(fd: connection.socket, events: Int16(POLLIN), revents: 0),
          pollfd(fd: stop.descriptor, events: Int16(POLLIN), revents: 0),
        ]
        _ = poll(&entries, 2, -1)
        if entries[1].revents != 0 { return true }
      }
    }
  }

  /// Interrupts a thread that waits with `poll`.
  private final class StopSignal: Sendable {
    let descriptor: Int32
    private let sender: Int32

    init?() {
      var ends: [Int32] = [0, 0]
      guard pipe(&ends) == 0 else { return nil }
      descriptor = ends[0]
      sender = ends[1]
      for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    }

    deinit {
      _ = close(descriptor)
      _ = close(sender)
    }

    func send() {
      var byte: UInt8 = 0
      _ = write(sender, &byte, 1)
    }

    /// Whether it is sent within a time.
    func comes(within time: Duration) -> Bool {
      var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      return poll(&entry, 1, Int32(time / .milliseconds(1))) > 0
    }
  }
#endif
