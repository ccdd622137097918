#if Inspector
  import ArgumentParser
  import Foundation
  import StrataInspector
  import StrataInspection
  import StrataJournal
  import StrataMaintaining
  import StrataStorage

  /// `strata serve STORE`.
  struct Serve: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "serve",
      abstract: "Shows a store as a page in the browser, live or at rest.",
      discussion: """
        The page has the commits with what each changed, the entities at every revision, which line of code gave \
        a field its value, and SQL. The store is only read, and may be open in another program. The server ends \
        with Ctrl-C.

        Only programs on this machine can connect, and only with the address that is printed: it has a secret. \
        --open gives the browser a file that leads there, which only you can read, and removes it at the end.

        --redact replaces values under every name that the field and its table have had, and where a migration has \
        put them, before anything is searched, counted or sorted; a search leaves them out. They keep their kind and length; equal ones stay equal, and IDs \
        stay. SQL, conditions and sorting are refused then. A field is a path: customers.contact.email, \
        jobs.status.done.notes.

        Behind a forwarded port or a proxy, --host names the host as the browser shows it; the rest of the address stays, \
        below whatever path the proxy has.

        Examples:
          strata serve app.strata
          strata serve app.strata --open
          strata serve app.strata --port 8080 --redact users.email users.name
          strata serve app.strata --port 8080 --host localhost:9000
        """
    )

    @Argument(help: "The file of the store.", completion: .file())
    var store: String

    @Option(help: "The port. (default: any that is free)")
    var port: Int?

    @Option(
      help: ArgumentHelp(
        "A further host under which a browser may ask for the page, such as tools.example; repeat it for more.",
        valueName: "name[:port]"
      )
    )
    var host: [String] = []

    @Flag(help: "Open the page in the browser.")
    var open = false

    @Option(
      parsing: .upToNextOption,
      help: ArgumentHelp(
        "The fields whose values are replaced, such as users.email or users.home.city.",
        valueName: "table.field"
      )
    )
    var redact: [String] = []

    @Flag(help: "With --redact: show users, requests and arguments of commits.")
    var keepContexts = false

    @OptionGroup private var memory: MemoryLimit

    func validate() throws {
      if let port, !(1...65_535).contains(port) {
        throw ValidationError("--port must be between 1 and 65535.")
      }
      for host in host where host.isEmpty || host.contains(where: { "/@ ".contains($0) }) {
        throw ValidationError(
          "--host takes a name as the browser shows it, such as tools.example or localhost:9000."
        )
      }
      _ = try StoreBundle.Field.arguments(redact)
    }

    func run() async throws {
      Allocator.returnFreedMemory()
      memory.apply()
      let inspector = try await StateInspector.serve(
        store,
        port: port ?? 0,
        hosts: host,
        redacting: try StoreBundle.Field.arguments(redact),
        contexts: keepContexts ? .keep : .omit
      )
      try Output.print { output throws(OutputError) in
        try output.line(inspector.url.absoluteString)
      }
      for host in host {
        Output.printError("The page is also at http://\(host.printable)\(inspector.url.path())")
      }
      Output.printError("The page of \(store.printable) is at this address. Ctrl-C ends.")
      guard open, let link = openBrowser(inspector.url) else {
        return try await inspector.waitUntilStopped()
      }
      let signals = Self.signals { link.remove() }
      defer {
        for signal in signals { signal.cancel() }
        link.remove()
      }
      try await inspector.waitUntilStopped()
    }

    /// Runs a closure before a signal ends the process.
    private static func signals(_ body: @escaping @Sendable () -> Void)
      -> [any DispatchSourceSignal]
    {
      [SIGINT, SIGTERM, SIGHUP].map { number in
        signal(number, SIG_IGN)
        let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
        source.setEventHandler {
          body()
          _exit(number == SIGINT ? ExitStatus.interrupted.rawValue : 128 + number)
        }
        source.resume()
        return source
      }
    }

    /// Starts the browser; returns the file that leads it to the page, nil if it is not started.
    private func openBrowser(_ url: URL) -> PageLink? {
      #if os(macOS)
        let program = "open"
      #else
        let program = "xdg-open"
      #endif
      let link: PageLink
      do {
        link = try PageLink(to: url)
      } catch {
        Output.printError("strata: \(error). Open the address yourself.".printable)
        return nil
      }
      let process = Process()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
      process.arguments = [program, link.path]
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      do {
        try process.run()
        return link
      } catch {
        link.remove()
        Output.printError("strata: \(program) cannot be started: open the address yourself.")
        return nil
      }
    }
  }
#else
  import ArgumentParser

  /// `strata serve STORE` in a command without the page: says how to get one that has it.
  struct Serve: ParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "serve",
      abstract: "Shows a store as a page in the browser, in a build with the trait Inspector.",
      shouldDisplay: false
    )

    @Argument(parsing: .captureForPassthrough)
    var arguments: [String] = []

    func validate() throws {
      throw ValidationError(
        """
        This strata is built without the trait Inspector, which has the page: build it with \
        `swift build --product strata --traits Inspector`.
        """
      )
    }
  }
#endif
