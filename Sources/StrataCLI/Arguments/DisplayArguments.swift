import ArgumentParser

/// How text is shown: its colors, and whether a pager shows it.
struct DisplayArguments: ParsableArguments {
  @OptionGroup private var color: ColorArguments

  @Flag(help: "Do not show text in a pager.")
  private var noPager = false

  var highlighting: Highlighting { color.highlighting }

  /// The command that shows text on a terminal; nil where it is printed as it is.
  var pager: String? { noPager ? nil : Pager.command }
}

/// When text has colors.
struct ColorArguments: ParsableArguments {
  enum Choice: String, CaseIterable, ExpressibleByArgument {
    case auto, always, never
  }

  @Option(help: "The colors of text; auto: on a terminal, unless NO_COLOR is set.")
  private var color = Choice.auto

  var highlighting: Highlighting {
    switch color {
    case .auto: Terminal.standard.highlighting
    case .always: .on
    case .never: .off
    }
  }
}

/// The arguments of the subcommands that print rows: the store and the form of the output.
struct RowArguments: ParsableArguments {
  @Argument(help: "The file of the store.", completion: .file())
  var store: String

  @Flag(help: "The form of the output. (default: a table)")
  var form: RowForm?
}
