import Strata
import StrataFlux
import StrataFluxRecorder

/// The hub with the stores of the program and a recorder, and the commands on them.
struct TodoSession {
  let hub = Dispatcher(name: "todo")
  let recorder = RecorderMiddleware()
  let list: TodoStore
  let tally: TallyStore

  init(_ list: TodoStore) throws {
    self.list = list
    tally = TallyStore(identifier: "tally", reducer: TallyReducer())
    try hub.register(store: tally, waitingFor: ["list"])
    try hub.register(store: list)
    hub.register(middleware: recorder)
  }

  /// Runs a command and returns the lines to print.
  func run(_ command: Command) async throws -> [String] {
    switch command {
    case .act(let action):
      if recorder.isTravelling {
        return ["Another time is shown. Enter return to go back, or branch to continue from here."]
      }
      try await hub.dispatch(action, mode: .serial)
      return lines
    case .travel(let travel):
      try run(travel)
      return lines
    case .list: return lines
    case .history: return history
    case .help: return [Command.summary]
    case .quit: return []
    }
  }

  private func run(_ travel: Command.Travel) throws {
    switch travel {
    case .back: try recorder.back()
    case .forward: try recorder.forward()
    case .jump(let position): try recorder.jump(to: position)
    case .skip(let id): try recorder.skip(id)
    case .unskip(let id): try recorder.unskip(id)
    case .present: try recorder.returnToPresent()
    case .branch: try recorder.branch()
    case .rollback: try recorder.rollback()
    }
  }

  private var lines: [String] {
    let todos = list.state.sorted.map { todo in
      "\(todo.isDone ? "[x]" : "[ ]") \(todo.id.raw) \(todo.title)"
    }
    let tally = tally.state
    let note = recorder.isTravelling ? " (travelling: not written)" : ""
    return todos + [
      "\(tally.added) added, \(tally.finished) done, \(tally.removed) removed\(note)"
    ]
  }

  private var history: [String] {
    let position = recorder.position
    let entries = recorder.entries.enumerated().map { place, entry in
      let mark = place + 1 == position ? ">" : " "
      let name = entry.action.map { "\($0)" } ?? "a commit"
      return "\(mark) \(entry.id) \(name)\(entry.isSkipped ? " (skipped)" : "")"
    }
    return ["\(position == 0 ? ">" : " ") 0 the start"] + entries
  }
}
