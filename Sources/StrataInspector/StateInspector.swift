#if Inspector
  public import Foundation
  import NIOCore
  import NIOHTTP1
  import NIOPosix
  import StrataBase
  import StrataInspection
  public import StrataMaintaining
  public import StrataStorage

  /// Serves one page about a store to the browser on this machine.
  ///
  /// ```swift
  /// let inspector = try await StateInspector.serve("app.strata")
  /// print(inspector.url)
  /// ```
  ///
  /// In a debug build of an app, it shows the live store, with its subscribers and its writer:
  ///
  /// ```swift
  /// let inspector = try await StateInspector.serve(persistence.live)
  /// ```
  ///
  /// The page shows the commits, what each changed, the entities at every revision, and which line of code gave a
  /// field its value. The file is only read, also while another program writes it; no byte and no name of it
  /// changes.
  ///
  /// Only programs on this machine can connect, and only with the address: it has a secret of 128 bits. The store
  /// is opened for each request and closed again. An answer is a page of at most 2 MB; the server never holds a whole
  /// state. It holds the changes since a snapshot while it reads whole tables, which it does for one request at a
  /// time.
  ///
  /// A program that opens the store meanwhile is not refused: the page goes on beside it.
  public final class StateInspector: Sendable {
    /// The address of the page, with its secret.
    public let url: URL
    private let group: MultiThreadedEventLoopGroup
    private let threads: ReadingThreads
    private let channel: any Channel
    private let ticking: RepeatedTask

    /// How many connections there may be: browsers open up to six for a page.
    package static let connections = 64

    private init(
      _ url: URL,
      _ group: MultiThreadedEventLoopGroup,
      _ threads: ReadingThreads,
      _ channel: any Channel,
      _ ticking: RepeatedTask
    ) {
      self.url = url
      self.group = group
      self.threads = threads
      self.channel = channel
      self.ticking = ticking
    }

    /// Starts to serve a page about the file of a store.
    ///
    /// - Parameters:
    ///   - path: The file of the store, which may be open in another process.
    ///   - port: The port; 0 for any that is free.
    ///   - hosts: Further names under which a browser may ask for the page, as it shows them: `localhost:9000` for a
    ///     forwarded port, `tools.example` behind a proxy. Only programs of this machine can connect all the same.
    ///   - fields: The fields whose values are replaced in every answer, as in a bundle: `StoreBundle`.
    ///   - contexts: With redacted fields: whether users, requests and arguments of commits are shown.
    ///
    /// Throws `PersistenceError` for a file that cannot be read and for a field that cannot be redacted, and
    /// `IOError` for a port that is taken.
    public static func serve(
      _ path: String,
      port: Int = 0,
      hosts: [String] = [],
      redacting fields: [StoreBundle.Field] = [],
      contexts: StoreBundle.Contexts = .omit
    ) async throws -> StateInspector {
      try await serve(
        path,
        port: port,
        hosts: hosts,
        redacting: fields,
        contexts: contexts,
        bounds: .init()
      )
    }

    /// Starts to serve a page about the store of this process, for a debug build.
    ///
    /// It is the page of the file, at the same addresses, with one view more: who follows the store, which derived
    /// values are followed, and how the writer stands. That view has no values of the state; they are read from
    /// the file, where redacted and sealed tables are as they were written. A commit is shown once the writer has
    /// it in the file. While the persistence is suspended, only the view of the process is answered.
    ///
    /// A commit costs the same. Subscribers are counted when that view asks, once a second, in O(subscribers). It
    /// keeps neither the store nor its persistence alive.
    ///
    /// - Parameters:
    ///   - store: `live` of a `Persistence`.
    ///   - port: The port; 0 for any that is free.
    ///   - hosts: Further names under which a browser may ask for the page, as it shows them: `localhost:9000` for a
    ///     forwarded port, `tools.example` behind a proxy. Only programs of this machine can connect all the same.
    ///   - fields: The fields whose values are replaced in every answer, as in a bundle: `StoreBundle`.
    ///   - contexts: With redacted fields: whether users, requests and arguments of commits are shown.
    ///
    /// Throws `PersistenceError` for a field that cannot be redacted and for a persistence that is suspended, and
    /// `IOError` for a port that is taken.
    public static func serve(
      _ store: LiveStore,
      port: Int = 0,
      hosts: [String] = [],
      redacting fields: [StoreBundle.Field] = [],
      contexts: StoreBundle.Contexts = .omit
    ) async throws -> StateInspector {
      let answers = try Answers(StoreReader(store), redacting: fields, contexts)
      return try await serve(answers, port: port, hosts: hosts, bounds: .init())
    }

    /// The same as for any file, with other bounds, for tests.
    package static func serve(
      _ path: String,
      port: Int = 0,
      hosts: [String] = [],
      redacting fields: [StoreBundle.Field] = [],
      contexts: StoreBundle.Contexts = .omit,
      bounds: ConnectionBounds
    ) async throws -> StateInspector {
      let answers = try Answers(StoreReader(path), redacting: fields, contexts)
      return try await serve(answers, port: port, hosts: hosts, bounds: bounds)
    }

    private static func serve(
      _ answers: Answers,
      port: Int,
      hosts: [String],
      bounds: ConnectionBounds
    ) async throws -> StateInspector {
      let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
      let threads = ReadingThreads()
      do {
        let token = Token()
        let tail = Tail(answers, threads.few)
        let service = Lock<Service?>(nil)
        let count = Lock(0)
        let channel = try await ServerBootstrap(group: group)
          .serverChannelOption(.backlog, value: 64)
          .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
          .childChannelInitializer { channel in
            channel.eventLoop.makeCompletedFuture {
              let isTooMany = count.withLock { count in
                count += 1
                return count > connections
              }
              channel.closeFuture.whenComplete { _ in count.withLock { $0 -= 1 } }
              guard !isTooMany, let service = service.withLock({ $0 }) else {
                return channel.close(promise: nil)
              }
              let limit = HeadLimit(bounds)
              try channel.pipeline.syncOperations.addHandler(limit)
              try channel.pipeline.syncOperations.configureHTTPServerPipeline()
              try channel.pipeline.syncOperations.addHandler(RequestHandler(service, limit))
            }
          }
          .bind(host: "127.0.0.1", port: port)
          .get()
        let port = channel.localAddress?.port ?? port
        let gate = Gate(port: port, token, names: hosts)
        service.withLock {
          $0 = Service(gate: gate, answers: answers, tail: tail, threads: threads)
        }
        guard let url = URL(string: "http://127.0.0.1:\(port)/t/\(token.text)/") else {
          preconditionFailure("The address of the page is no URL: report this.")
        }
        let ticking = channel.eventLoop.scheduleRepeatedTask(
          initialDelay: Tail.interval,
          delay: Tail.interval
        ) { _ in tail.tick() }
        return StateInspector(url, group, threads, channel, ticking)
      } catch {
        try await group.shutdownGracefully()
        try await threads.end()
        throw error
      }
    }

    /// Ends the server: connections are closed, and what is being read is finished.
    public func stop() async throws {
      ticking.cancel()
      try await channel.close().get()
      try await threads.end()
      try await group.shutdownGracefully()
    }

    /// Returns when the server has ended.
    public func waitUntilStopped() async throws { try await channel.closeFuture.get() }
  }
#endif
