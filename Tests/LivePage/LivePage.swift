#if Inspector
  import Foundation
  import Strata
  import StrataInspector
  import StrataPersistence
  import StrataInspection
  import TestSupport

  /// An app with subscribers and derived values whose page is open, for the test of that page in a browser.
  ///
  /// `LivePage PATH` prints the address, then does what each line of standard input says, and prints `done`.
  /// `LivePage PATH sample` makes a store for all views and ends: ``SampleTracker``. `LivePage PATH tracker` makes that
  /// of the page "Finding a bug".
  @main
  struct LivePage {
    static func main() async throws {
      let arguments = CommandLine.arguments
      switch arguments.dropFirst(2) {
      case []: try await LivePage(path: arguments[1]).run()
      case ["sample"]: try await SampleTracker.make(at: arguments[1])
      case ["tracker"]:
        let tracker = try await Tracker(at: arguments[1])
        try await tracker.commitSample()
        try await tracker.persistence.close()
      default: exit(64)
      }
    }

    let path: String

    private func run() async throws {
      try await withPersistence(
        at: path,
        initialState: LibraryState(),
        database: \.db,
        store: LibraryStore.init
      ) { store, persistence in
        makeLibrary(in: store)
        try await persistence.flush()
        var subscriptions = subscribe(to: store)
        let inspector = try await StateInspector.serve(persistence.live)
        print(inspector.url.absoluteString)
        while let line = readLine() {
          let words = line.split(separator: " ")
          switch words.first {
          case "commit":
            for _ in 0..<(words.dropFirst().first.flatMap { Int($0) } ?? 1) { rate(in: store) }
          case "leave": subscriptions.popLast()?.cancel()
          case "suspend": try await persistence.suspend()
          case "resume": try await persistence.resume()
          default: exit(64)
          }
          print("done")
        }
        try await inspector.stop()
        for subscription in subscriptions { subscription.cancel() }
      }
    }

    private func print(_ line: String) {
      FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }

    private func makeLibrary(in store: LibraryStore) {
      store.commit("import", fileID: "Library/Import.swift", function: "run()", line: 5) { state in
        state.db.authors.insert(Author(id: "ada", name: "Ada"))
        for number in 1...100 {
          state.db.books.insert(
            Book(id: EntityID(number), title: "Volume \(number)", author: "ada")
          )
        }
      }
      rate(in: store)
    }

    private func rate(in store: LibraryStore) {
      store.commit(
        "rate",
        fileID: "Library/Ratings.swift",
        function: "rate(_:)",
        line: 41
      ) { state in
        _ = try? state.db.books.updateIfExists(7) { $0.rating = ($0.rating ?? 0) + 1 }
      }
    }

    /// What the views of an app follow; the last ones follow single books.
    private func subscribe(to store: LibraryStore) -> [StoreSubscription] {
      let count = store.derived(.map(\.count))
      let visits = store.derived(.map(\.loggedIn.visits))
      let titles = store.derived(.map { $0.db.books.lazy.map(\.title).sorted() })
      let texts = count.chain(.map { "\($0) opened" })
      let both = Derived<(Int, Int)>.combined(count, visits)
      return [
        store.sinkState { _ in }, store.sinkState { _ in }, store.sinkActivity { _ in },
        count.sinkValue { _ in }, count.sinkValue { _ in }, texts.sinkValue { _ in },
        both.sinkValue { _ in }, titles.sinkValue { _ in },
        store.sinkEntityChanges(in: \.db.authors) { _ in },
      ] + (1...40).map { store.derived(from: Book.ID($0), in: \.db.books).sinkValue { _ in } }
    }
  }
#else
  /// Without the trait `Inspector` there is no page.
  @main
  struct LivePage {
    static func main() {}
  }
#endif
