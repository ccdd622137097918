import StrataJournal
package import StrataRecords

extension RecordValue {
  /// The value on one line, with quotes only where a text would be ambiguous without them.
  package var lineText: String {
    switch self {
    case .string(""), .string("null"): return json()
    case .string(let text): return text.printable
    case .array, .object: return json().printable
    default:
      let text = json()
      return (text.hasPrefix("\"") ? String(text.dropFirst().dropLast()) : text).printable
    }
  }
}
