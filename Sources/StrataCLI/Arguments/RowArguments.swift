import ArgumentParser

/// The arguments of the subcommands that print rows: the store and the form of the output.
struct RowArguments: ParsableArguments {
  @Argument(help: "The file of the store.", completion: .file())
  var store: String

  @Flag(help: "The form of the output. (default: a table)")
  var form: RowForm?
}
