import ArgumentParser
import Foundation
import StrataStorage

/// The `strata` command: looks into the file of a store and changes nothing of it.
///
/// Data goes to standard output, everything else to standard error; what the exit codes mean is
/// told by ``ExitStatus``.
@main
struct Strata: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "strata",
    abstract: "Looks into the file of a Strata store.",
    discussion: """
      The path of the store always comes first after the verb. Nothing here changes a store, also \
      while a program is writing it.

      Exit codes: 0 ok, 1 failed, 2 problems found, 3 not found, 4 damaged, 5 locked or busy, \
      6 schema drift, 7 newer format, 64 usage, 74 I/O, 130 interrupted.
      """,
    version: "0.1.0",
    subcommands: [Info.self, Tables.self, Show.self, Log.self, Verify.self]
  )

  static func main() {
    Signals.arrange()
    do {
      var command = try parseAsRoot()
      try command.run()
    } catch let error as PersistenceError {
      leave(ExitStatus(error.reason), saying: error.description)
    } catch let error as OutputError {
      switch error {
      // Whoever read along has had enough.
      case .closed: leave(.ok)
      case .failed(let reason): leave(.io, saying: "standard output: \(reason)")
      }
    } catch {
      exit(withError: error)
    }
  }

  private static func leave(_ status: ExitStatus, saying complaint: String? = nil) -> Never {
    if let complaint { Output.complain("strata: \(complaint)") }
    Foundation.exit(status.rawValue)
  }
}
