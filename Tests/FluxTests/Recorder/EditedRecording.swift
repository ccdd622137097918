import Foundation
import StrataBase
import StrataRecords

/// An exported recording, to edit as a person would who also corrects the checksum.
///
/// What the file has as bytes is open to edits: a value under the name `tagged`, a record under the name `fields`.
struct EditedRecording {
  private static let title = "strata recording 4 "

  var value: RecordValue

  init(_ data: Data) throws {
    value = Self.opened(.data(Data(data.drop { $0 != 0x0A }.dropFirst())))
  }

  /// The file with the checksum that its content has.
  func data() throws -> Data {
    guard case .data(let content) = try Self.closed(value) else { return Data() }
    return Data("\(Self.title)\(Checksum(of: [UInt8](content)))\n".utf8) + content
  }

  private static func opened(_ value: RecordValue) -> RecordValue {
    guard case .data(let bytes) = value else { return mapped(value, opened) }
    do {
      let tagged = try TaggedValue.value(of: [UInt8](bytes))
      if let parts = tagged.elements, parts.count == 2, case .data(let layout) = parts[0],
        case .data(let record) = parts[1]
      {
        let layout = try Layout(body: [UInt8](layout))
        let fields = try RecordValue(record: [UInt8](record), layout: layout)
        return .object([RecordValue.Member("fields", opened(fields))])
      }
      return .object([RecordValue.Member("tagged", tagged)])
    } catch {
      return value
    }
  }

  private static func closed(_ value: RecordValue) throws -> RecordValue {
    if let only = value.members, only.count == 1 {
      if only[0].name == "tagged" { return .data(Data(TaggedValue.bytes(of: only[0].value))) }
      if only[0].name == "fields", let fields = try closed(only[0].value).members {
        var writer = RecordWriter()
        var bytes: [UInt8] = []
        let layout = try writer.encode(StoredObject(fields), into: &bytes)
        return .data(Data(try TaggedValue.bytes(of: [Data(layout.body), Data(bytes)])))
      }
    }
    return try mapped(value, closed)
  }

  private static func mapped(
    _ value: RecordValue,
    _ transform: (RecordValue) throws -> RecordValue
  ) rethrows -> RecordValue {
    if let members = value.members {
      let mapped = try members.map { RecordValue.Member($0.name, try transform($0.value)) }
      return .object(RecordValue.Members(mapped))
    }
    guard let elements = value.elements else { return value }
    return .array(RecordValue.Elements(try elements.map(transform)))
  }

  /// Sets what is at a path of names and indices, from 0.
  mutating func set(_ path: [String], to new: RecordValue?) {
    value = Self.setting(path[...], of: value, to: new) ?? .null
  }

  private static func setting(
    _ path: ArraySlice<String>,
    of old: RecordValue,
    to value: RecordValue?
  ) -> RecordValue? {
    guard let name = path.first else { return value }
    if var elements = old.elements, let index = Int(name), elements.indices.contains(index) {
      if let new = setting(path.dropFirst(), of: elements[index], to: value) {
        elements[index] = new
      } else {
        elements.remove(at: index)
      }
      return .array(RecordValue.Elements(elements))
    }
    guard var members = old.members else { return old }
    let index = members.firstIndex { $0.name == name }
    let new = setting(path.dropFirst(), of: index.map { members[$0].value } ?? .null, to: value)
    if let index { members.remove(at: index) }
    if let new { members.insert(RecordValue.Member(name, new), at: index ?? members.count) }
    return .object(RecordValue.Members(members))
  }

  /// Every path.
  var paths: [[String]] { Self.paths(in: value) }

  private static func paths(in value: RecordValue) -> [[String]] {
    let parts =
      value.members.map { $0.map { ($0.name, $0.value) } }
      ?? value.elements?.enumerated().map { ("\($0)", $1) } ?? []
    return parts.flatMap { name, part in [[name]] + paths(in: part).map { [name] + $0 } }
  }
}
