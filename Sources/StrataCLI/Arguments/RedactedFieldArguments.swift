import ArgumentParser
import StrataStorage

extension StoreBundle.Field {
  /// Reads the arguments of `--redact`.
  static func arguments(_ texts: [String]) throws -> [StoreBundle.Field] {
    try texts.map { text in
      guard let field = StoreBundle.Field(text) else {
        throw ValidationError("--redact takes a table and a field, such as users.email.")
      }
      return field
    }
  }
}
