import Foundation
package import StrataRecords

/// IDs as people write them.
///
/// | raw value | text |
/// | --- | --- |
/// | text | itself |
/// | integer, UUID, URL, date, data, number, decimal | as in JSON, without quotes |
/// | struct, array, enum with values | JSON on one line |
///
/// A text in double quotes is that text, and `int:5`, `text:5` name the kind, where an ID could be meant in several ways.
extension EncodedID {
  /// The ID as a person writes it; its bytes in hexadecimal digits where they are not an ID.
  package static func text(of bytes: ArraySlice<UInt8>) -> String {
    do throws(RecordError) {
      return text(of: try value(of: Array(bytes)))
    } catch {
      return "0x" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
  }

  /// The same of the raw value.
  package static func text(of value: RecordValue) -> String {
    if case .string(let text) = value { return text }
    let json = value.json()
    return json.hasPrefix("\"") ? String(json.dropFirst().dropLast()) : json
  }

  /// The same with the kind before it, which leaves no other meaning.
  package static func exactText(of bytes: ArraySlice<UInt8>) throws(RecordError) -> String {
    let value = try value(of: Array(bytes))
    return "\(kind(of: value)):\(text(of: value))"
  }

  /// The word for the kind of a raw value.
  private static func kind(of value: RecordValue) -> String {
    switch value {
    case .null, .array, .object: "json"
    case .bool: "bool"
    case .int, .uint: "int"
    case .float: "float"
    case .double: "double"
    case .string: "text"
    case .data: "data"
    case .date: "date"
    case .uuid: "uuid"
    case .url: "url"
    case .decimal: "decimal"
    }
  }

  /// How a person may mean an ID by a text.
  package enum Meaning {
    /// It is its text.
    case plain
    /// It is the text with quotes, with its kind before it, or with escapes for what a terminal would act on.
    case marked
  }

  /// How a person may mean an ID by a text; nil if the text is another one.
  package static func meaning(of text: String, for id: ArraySlice<UInt8>) -> Meaning? {
    if plainCandidates(for: text).contains(Array(id)) { return .plain }
    do throws(RecordError) {
      let value = try value(of: Array(id))
      let plain = Self.text(of: value)
      if plain == text { return .plain }
      let marked = [value.lineText, value.json(), "\(kind(of: value)):\(plain)"]
      return marked.contains(text) ? .marked : nil
    } catch {
      return Self.text(of: id) == text ? .plain : nil
    }
  }

  /// The texts, integers and UUIDs that a person may mean by a text, likeliest first.
  ///
  /// IDs of other kinds are found among those of a table: see ``ReadView/ids(meantBy:in:)``.
  package static func candidates(for text: String) -> [[UInt8]] {
    var candidates = plainCandidates(for: text)
    if case .string(let inner)? = JSONReader.value(text) {
      candidates += plainCandidates(for: inner).filter { meaning(of: text, for: $0[...]) != nil }
    }
    if let colon = text.firstIndex(of: ":") {
      let kind = text[..<colon]
      candidates += plainCandidates(for: String(text[text.index(after: colon)...])).filter { id in
        meaning(of: text, for: id[...]) != nil && ["int", "text", "uuid"].contains(kind)
      }
    }
    return candidates
  }

  /// The same of a text without quotes or a kind, such as the key of a dictionary.
  package static func plainCandidates(for text: String) -> [[UInt8]] {
    var candidates: [[UInt8]] = []
    if let value = Int64(text) {
      candidates.append(bytes(of: .int(value, .bits64)))
    } else if let value = UInt64(text) {
      candidates.append(bytes(of: .uint(value, .bits64)))
    }
    if let value = UUID(uuidString: text) { candidates.append(bytes(of: .uuid(value))) }
    return candidates + [bytes(of: .string(text))]
  }
}

extension RecordValue {
  /// The value on one line, with quotes only where a text would be ambiguous without them.
  ///
  /// Two texts never read the same: one that needs escapes, or begins with a quote, has quotes around it.
  package var lineText: String {
    switch self {
    case .string(""), .string("null"): json()
    case .string(let text) where text.isInQuotes || text != text.printable: json().printable
    case .string(let text): text
    default: EncodedID.text(of: self).printable
    }
  }
}

extension String {
  /// Whether it begins with a double quote, whatever combines with it.
  package var isInQuotes: Bool { utf8.first == UInt8(ascii: "\"") }
}

extension Layout.Reference {
  /// The IDs that a value in this place may stand for: the key of an object is a text, also where the ID is a number.
  package func candidates(for id: RecordValue) -> [[UInt8]] {
    if path.last == .key, let text = id.text { return EncodedID.plainCandidates(for: text) }
    return [EncodedID.bytes(of: id)]
  }
}
