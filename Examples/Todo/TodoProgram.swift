import Foundation
import Strata
import StrataFlux

/// A persisted to-do list with time travel.
///
/// It reads commands from standard input, one per line, until the end of input or `quit`.
@main
struct TodoProgram {
  static func main() async {
    guard CommandLine.arguments.count == 2, let path = CommandLine.arguments.last else {
      say("usage: Todo STORE_PATH", on: .standardError)
      exit(64)
    }
    do {
      try await withPersistence(
        at: path,
        initialState: TodoList(),
        database: \.db,
        store: { TodoStore($0, identifier: "list", reducer: TodoReducer()) }
      ) { list in
        try await run(TodoSession(list))
      }
    } catch {
      say("Todo: \(error)", on: .standardError)
      exit(1)
    }
  }

  private static func run(_ session: TodoSession) async throws {
    for line in try await session.run(.list) { say(line) }
    while let line = readLine() {
      guard let command = Command(line) else {
        say("? \(line)\n\(Command.summary)")
        continue
      }
      if case .quit = command { return }
      do {
        for line in try await session.run(command) { say(line) }
      } catch {
        say("\(error)")
      }
    }
  }

  private static func say(_ line: String, on output: FileHandle = .standardOutput) {
    output.write(Data("\(line)\n".utf8))
  }
}
