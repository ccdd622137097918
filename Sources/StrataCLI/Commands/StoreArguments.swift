import ArgumentParser

/// What every verb takes: the store, and how to answer.
struct StoreArguments: ParsableArguments {
  @Argument(help: "The file of the store.", completion: .file())
  var store: String

  @Flag(name: .customLong("json"), help: "Print JSON for programs instead of text for people.")
  private var isJSON = false

  /// For whom the answer is printed.
  enum Form {
    case text, json
  }

  var form: Form { isJSON ? .json : .text }
}
