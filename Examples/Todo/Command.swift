import Foundation
import Strata

/// A command line.
enum Command {
  case act(TodoAction)
  case list
  case history
  case travel(Travel)
  case help
  case quit

  enum Travel {
    case back
    case forward
    case jump(Int)
    case skip(Int)
    case unskip(Int)
    case present
    case branch
    case rollback
  }

  static let summary = """
    add TITLE | done N | remove N             change the list
    list | history                            show the list, or its history
    back | forward | jump N | skip N | unskip N
                                              travel; nothing is written
    return                                    return to the present
    branch                                    continue from here, and write it
    rollback                                  undo everything since the start, and write it
    quit
    """

  /// Parses a line; nil if it is not a command.
  init?(_ line: String) {
    let words = line.split(separator: " ", maxSplits: 1).map(String.init)
    let rest = words.count > 1 ? words[1].trimmingCharacters(in: .whitespaces) : nil
    let number = rest.flatMap { Int($0) }
    switch (words.first, rest, number) {
    case ("add", let title?, _): self = .act(.add(title))
    case ("done", _, let number?): self = .act(.finish(EntityID(number)))
    case ("remove", _, let number?): self = .act(.remove(EntityID(number)))
    case ("list", nil, _): self = .list
    case ("history", nil, _): self = .history
    case ("back", nil, _): self = .travel(.back)
    case ("forward", nil, _): self = .travel(.forward)
    case ("jump", _, let number?): self = .travel(.jump(number))
    case ("skip", _, let number?): self = .travel(.skip(number))
    case ("unskip", _, let number?): self = .travel(.unskip(number))
    case ("return", nil, _): self = .travel(.present)
    case ("branch", nil, _): self = .travel(.branch)
    case ("rollback", nil, _): self = .travel(.rollback)
    case ("help", nil, _): self = .help
    case ("quit", nil, _): self = .quit
    default: return nil
    }
  }
}
