import ArgumentParser
import StrataStorage

/// `strata verify STORE`.
struct Verify: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Proves every page, hash and record of a store.",
    discussion:
      "Exits with 4 when anything in the file contradicts itself; the file is not touched."
  )

  @OptionGroup var arguments: StoreArguments

  func run() throws {
    let verification = try Inspector(path: arguments.store).verify()
    do {
      try Output.print { output throws(OutputError) in
        switch arguments.form {
        case .json: try output.line(JSONText.indented(VerifyText.Report(verification)))
        case .text:
          for line in VerifyText.lines(verification, Terminal.standard.tint) {
            try output.line(line)
          }
        }
      }
    } catch OutputError.closed {
      // The verdict stands, whoever stopped reading.
    }
    if !verification.isSound { throw ExitCode(ExitStatus.damaged.rawValue) }
  }
}
