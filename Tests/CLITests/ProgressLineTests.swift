import Foundation
import StrataBase
import StrataCLI
import Testing

/// The line that a terminal shows while a command works.
@Suite struct ProgressLineTests {
  /// A queue whose delayed work runs when a test says so.
  private final class Delays: WorkQueue {
    private let waiting = Lock<[Waiting]>([])
    private struct Waiting {
      let delay: Duration
      let work: @Sendable () -> Void
    }

    var isCurrent: Bool { false }
    func enqueue(at _: TaskPriority?, _ work: @escaping @Sendable () -> Void) { work() }
    func enqueue(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
      waiting.withLock { $0.append(Waiting(delay: delay, work: work)) }
    }
    func runNow<R>(_ action: () -> R) -> R { action() }

    /// Lets the time of the next work pass; returns how long that was.
    func pass() -> Duration? {
      let next = waiting.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      next?.work()
      return next?.delay
    }
  }

  private let delays = Delays()
  private let written = Lock<[String]>([])
  private let progress: ProgressLine

  init() {
    let written = written
    progress = ProgressLine(on: delays) { text in written.withLock { $0.append(text) } }
  }

  private var texts: [String] { written.withLock { $0 } }

  @Test func `a line appears after a second, says how far the command is, and is removed`() {
    progress.start("strata find")
    progress.note("revision 3 of 9")
    #expect(texts.isEmpty)
    #expect(delays.pass() == .seconds(1))
    #expect(texts == ["\r\u{1B}[Kstrata find: revision 3 of 9, 1 s"])
    progress.note("revision 5 of 9")
    #expect(delays.pass() == .milliseconds(500))
    #expect(delays.pass() == .milliseconds(500))
    #expect(texts.last == "\r\u{1B}[Kstrata find: revision 5 of 9, 2 s")
    progress.end()
    #expect(texts.last == "\r\u{1B}[K")
    let count = texts.count
    #expect(delays.pass() != nil)
    #expect(delays.pass() == nil)
    #expect(texts.count == count)
  }

  @Test func `a command that is done within a second shows nothing`() {
    progress.start("strata info")
    progress.end()
    _ = delays.pass()
    #expect(texts.isEmpty)
  }

  @Test func `a line is not longer than a terminal, and controls nothing in it`() {
    progress.start("strata migrate up")
    progress.note(String(repeating: "\u{1B}[2J", count: 40))
    _ = delays.pass()
    let line = texts[0].dropFirst("\r\u{1B}[K".count)
    #expect(line.count <= 78 && !line.contains("\u{1B}"))
  }

  #if os(Linux)
    @Test func `the result of an import does not stand behind its progress`() async throws {
      let folder = try Folder()
      let entities = (0..<20_000).map { "{\"id\":\($0)}\n" }.joined()
      try Data(entities.utf8).write(to: URL(fileURLWithPath: folder.path("lines.ndjson")))
      let program = try await Program.shell(
        #"cd "$1" && export STRATA=$0 TERM=xterm && script -qec '"$STRATA" import new.strata lines lines.ndjson --create' /dev/null"#,
        folder.path("")
      )
      #expect(program.status == 0)
      // What stands on the line of the result before it was removed.
      let lines = program.output.split(whereSeparator: \.isNewline)
      let result = lines.last { $0.contains("inserted") } ?? ""
      let seen = result.components(separatedBy: "\u{1B}[K").last ?? ""
      #expect(seen.hasPrefix("20000 entities inserted"), "\(program.output)")
    }
  #endif
}
