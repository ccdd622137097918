import Foundation
import StrataBase

/// An exported recording, to edit as a person would who also corrects the checksums.
struct EditedRecording {
  enum Value: Codable {
    case bool(Bool)
    case number(Int)
    case text(String)
    case array([Value])
    case object([String: Value])

    init(from decoder: any Decoder) throws {
      let container = try decoder.singleValueContainer()
      if let value = try? container.decode(Bool.self) {
        self = .bool(value)
      } else if let value = try? container.decode(Int.self) {
        self = .number(value)
      } else if let value = try? container.decode(String.self) {
        self = .text(value)
      } else if let value = try? container.decode([Value].self) {
        self = .array(value)
      } else {
        self = .object(try container.decode([String: Value].self))
      }
    }

    func encode(to encoder: any Encoder) throws {}

    subscript(key: String) -> Value? {
      get { if case .object(let fields) = self { fields[key] } else { nil } }
      set {
        guard case .object(var fields) = self else { return }
        fields[key] = newValue
        self = .object(fields)
      }
    }

    subscript(index: Int) -> Value {
      get { if case .array(let values) = self { values[index] } else { self } }
      set {
        guard case .array(var values) = self else { return }
        values[index] = newValue
        self = .array(values)
      }
    }

    /// The text that a checksum covers.
    var text: String {
      switch self {
      case .bool(let value): "\(value)"
      case .number(let value): "\(value)"
      case .text(let value): "\"\(value.replacing("\"", with: "\\\""))\""
      case .array(let values): "[" + values.map(\.text).joined(separator: ", ") + "]"
      case .object(let fields):
        "{"
          + fields.sorted { $0.key < $1.key }.map { "\"\($0.key)\" : \($0.value.text)" }
          .joined(separator: ", ") + "}"
      }
    }
  }

  var root: Value

  init(_ data: Data) throws { root = try JSONDecoder().decode(Value.self, from: data) }

  /// Entry `index`, from 0.
  subscript(index: Int) -> Value {
    get { root["entries"]?[index] ?? .bool(false) }
    set {
      var entries = root["entries"] ?? .array([])
      entries[index] = newValue
      root["entries"] = entries
    }
  }

  var data: Data { Data(root.text.utf8) }

  /// The file with the checksums that its content has.
  func sealed() -> Data {
    var file = root
    file["entries"] = nil
    file["checksum"] = nil
    var checksum = Self.checksum(of: file, after: "")
    var entries: [Value] = []
    if case .array(let all)? = root["entries"] { entries = all }
    file["checksum"] = .text(checksum)
    file["entries"] = .array(
      entries.map { entry in
        var entry = entry
        entry["checksum"] = nil
        checksum = Self.checksum(of: entry, after: checksum)
        entry["checksum"] = .text(checksum)
        return entry
      }
    )
    return Data(file.text.utf8)
  }

  private static func checksum(of value: Value, after previous: String) -> String {
    String(Checksum(of: Array((previous + value.text).utf8)).description.prefix(16))
  }
}
