import Foundation
import Strata
import StrataFlux

/// A list of things to do, kept in a file, with a history that can be travelled.
///
/// It reads commands from its input, one a line, until the end or `quit`.
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
        try await run(Desk(list))
      }
    } catch {
      say("Todo: \(error)", on: .standardError)
      exit(1)
    }
  }

  private static func run(_ desk: Desk) async throws {
    for line in try await desk.follow(.list) { say(line) }
    while let line = readLine() {
      guard let command = Command(line) else {
        say("? \(line)\n\(Command.summary)")
        continue
      }
      if case .quit = command { return }
      do {
        for line in try await desk.follow(command) { say(line) }
      } catch {
        say("\(error)")
      }
    }
  }

  private static func say(_ line: String, on output: FileHandle = .standardOutput) {
    output.write(Data("\(line)\n".utf8))
  }
}
