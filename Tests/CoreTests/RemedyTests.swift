import Foundation
import StrataCore
import TestSupport
import Testing

/// What the compiler says where a part of a state has no `==`, and where the end of an action is sunk.
struct RemedyTests {
  /// Wrong calls, one a line, with the function that each error must name.
  private static let calls = [
    ("_ = changes.hasChanges(\\.draft)", "hasChanges"),
    ("_ = changes.hasChanges { $0.draft }", "hasChanges"),
    ("changes.ifChanged(\\.draft) { print($0) }", "ifChanged"),
    ("changes.ifChanged({ ($0.name, $0.draft) }) { print($0) }", "ifChanged"),
    ("_ = changes.takeIfChanged { $0.draft }", "takeIfChanged"),
    ("changes.ifChanged(\\.name, \\.draft) { print($0, $1) }", "ifChanged"),
    ("changes.ifChanged(\\.name, \\.name, \\.draft) { print($0, $1, $2) }", "ifChanged"),
    (
      "changes.ifChanged(\\.name, \\.name, \\.name, \\.draft) { print($0, $1, $2, $3) }",
      "ifChanged"
    ),
    (
      "changes.ifChanged(\\.name, \\.name, \\.name, \\.name, \\.draft) { print($0, $1, $2, $3, $4) }",
      "ifChanged"
    ),
  ]

  @Test(.timeLimit(.minutes(10))) func `each call that needs == names the remedy`() throws {
    let directory = try TemporaryDirectory()
    let start = """
      import StrataCore
      struct Draft: Sendable { var text = "" }
      struct Editor: StateType { var name = "", draft = Draft() }
      let changes = Store<Editor, Never>(initialState: Editor()).changes

      """
    let first = start.count { $0 == "\n" } + 1
    let source = directory.path("main.swift")
    try (start + Self.calls.map(\.0).joined(separator: "\n"))
      .write(toFile: source, atomically: true, encoding: .utf8)
    let printed = try errors(of: source, in: directory)
    for (number, (call, function)) in Self.calls.enumerated() {
      let error = printed.filter { $0.contains("main.swift:\(first + number):") }
      #expect(error.count == 1, "\(call): \(printed)")
      #expect(error.first?.contains("\(function) needs ==, which") == true, "\(call): \(error)")
      #expect(error.first?.contains("Make it Equatable, or compare yourself: \(function)(") == true)
    }
    #expect(printed.count == Self.calls.count)
  }

  @Test(.timeLimit(.minutes(10)))
  func `sinking the end of an action names the remedy, and the calls without it compile`() throws {
    let directory = try TemporaryDirectory()
    let source = directory.path("main.swift")
    try """
    import StrataCore
    struct Counter: StateType { var count = 0 }
    final class CounterStore: Store<Counter, Never>, @unchecked Sendable {}
    final class Counting: CounterStore.Dispatcher, @unchecked Sendable {
      func increment() -> Action<Void> { .action { $0.commit { $0.count += 1 } } }
    }
    let counting = Counting(targetStore: CounterStore(initialState: Counter()))
    counting.accept { $0.increment() }
    let nothing: Void = counting.dispatch { $0.increment() }
    counting.accept { $0.increment() }.sink { print("ended") }
    counting.dispatch { $0.increment() }.sink { print("ended") }
    """.write(toFile: source, atomically: true, encoding: .utf8)
    let printed = try errors(of: source, in: directory)
    for (line, function) in [(10, "accept"), (11, "dispatch")] {
      let error = printed.first { $0.contains("main.swift:\(line):") }
      #expect(error?.contains("An action has ended when \(function) returns") == true, "\(printed)")
      #expect(error?.contains("await dispatcher.\(function) { $0.fetch() }") == true)
    }
    #expect(printed.count == 2)
  }

  @Test(.timeLimit(.minutes(10)))
  func `a map over Changes names mapChanges, and a map over the value compiles`() throws {
    let directory = try TemporaryDirectory()
    let source = directory.path("main.swift")
    try """
    import StrataCore
    struct Feed: StateType { var items: [Int] = [] }
    let store = Store<Feed, Never>(initialState: Feed())
    let newest = store.derived(.map(\\.items)).chain(.map { $0.suffix(20) })
    let count = store.derived(.map { $0.items.count })
    let both = Derived.combined(newest, count).chain(.map { $0.0.count - $0.1 })
    let version = store.derived(.mapChanges { $0.version })
    let old = store.derived(.map { $0.value.items.count })
    let older = newest.chain(.map { $0.value.count })
    """.write(toFile: source, atomically: true, encoding: .utf8)
    let printed = try errors(of: source, in: directory)
    for line in [8, 9] {
      let error = printed.first { $0.contains("main.swift:\(line):") }
      #expect(error?.contains("'map' has been renamed to 'mapChanges(_:)'") == true, "\(printed)")
      #expect(error?.contains("The closure of map takes the value.") == true)
    }
    #expect(printed.count == 2)
  }

  /// The errors of the compiler, one a line.
  private func errors(of source: String, in directory: TemporaryDirectory) throws -> [String] {
    let output = directory.path("errors")
    _ = FileManager.default.createFile(atPath: output, contents: nil)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = [
      "swiftc", "-typecheck", "-swift-version", "6", "-diagnostic-style", "llvm", "-I",
      ChildProcess.directory.appendingPathComponent("Modules").path, source,
    ]
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
    try process.run()
    process.waitUntilExit()
    return try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n")
      .map(String.init).filter { $0.contains(": error: ") }
  }
}
