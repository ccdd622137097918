#if SwiftLog
  import Logging
  import StrataCore
  import TestSupport
  import Testing

  /// Records the lines it gets.
  private struct LineHandler: LogHandler {
    let lines: Recorder<String>
    var metadata: Logger.Metadata = [:]
    var logLevel: Logger.Level = .trace

    init(_ lines: Recorder<String>) { self.lines = lines }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let metadata = event.metadata
      let detail = metadata?["version"] ?? metadata?["activity"] ?? metadata?["dispatcher"]
      lines.record("\(event.level) \(event.message) \(detail.map { "\($0)" } ?? "-")")
    }
  }

  @Suite struct SwiftLogStoreLoggerTests {
    @Test func `what happens in a store is written to swift-log`() {
      let lines = Recorder<String>()
      let logger = Logger(label: "test") { _ in LineHandler(lines) }
      let store = LibraryStore(
        name: "main",
        initialState: LibraryState(),
        logger: SwiftLogStoreLogger(logger, level: .info)
      )
      do {
        let librarian = Librarian(targetStore: store)
        librarian.dispatch { $0.open() }
        librarian.accept { $0.increment() }
      }
      #expect(
        lines.elements == [
          "info dispatcher created Librarian", "info dispatch Librarian",
          "info activity opened", "info commit 1", "info dispatcher destroyed Librarian",
        ]
      )
    }
  }
#endif
