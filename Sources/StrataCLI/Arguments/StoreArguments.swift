import ArgumentParser

/// The arguments of every subcommand: the store and the form of the output.
struct StoreArguments: ParsableArguments {
  @Argument(help: "The file of the store.", completion: .file())
  var store: String

  @Flag(name: .customLong("json"), help: "Print JSON instead of text.")
  private var isJSON = false

  /// The form of the output.
  enum Form {
    case text, json
  }

  var form: Form { isJSON ? .json : .text }
}
