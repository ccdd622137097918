import StrataJournal

/// A page that says what is wrong with an address, for a person who has opened it.
///
/// It has no style and no script of its own: those of the page are behind the token.
package enum ProblemPage {
  package static func html(_ refusal: Gate.Refusal) -> String {
    let command = refusal.command.map { "<pre>\(escaped($0))</pre>\n" } ?? ""
    let remedy = refusal.remedy.isEmpty ? "" : "<p>\(escaped(refusal.remedy))</p>\n"
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <title>Strata</title>
      </head>
      <body>
      <h1>\(escaped(refusal.reason))</h1>
      \(remedy)\(command)</body>
      </html>

      """
  }

  /// A text in which nothing is markup and nothing is invisible.
  private static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in text.printable.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
