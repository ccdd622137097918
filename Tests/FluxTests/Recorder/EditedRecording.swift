import Foundation
import StrataBase
import StrataRecords
import TestSupport

/// An exported recording, to edit as a person would who also corrects the checksums.
struct EditedRecording {
  private static let title = "strata recording 4\n"

  /// The base, then the entries.
  var blocks: [RecordValue] = []

  init(_ data: Data) throws {
    var rest = [UInt8](data).dropFirst(Self.title.utf8.count)
    while let end = rest.firstIndex(of: 0x0A) {
      let words = String(decoding: rest[..<end], as: UTF8.self).split(separator: " ")
      let count = Int(words[0]) ?? 0
      blocks.append(try RecordValue(taggedBytes: Array(rest[(end + 1)...].prefix(count))))
      rest = rest[(end + 1)...].dropFirst(count + 1)
    }
  }

  /// The file with the checksums that its content has.
  var data: Data {
    var bytes = Array(Self.title.utf8)
    var checksum = ""
    for block in blocks {
      let content = block.taggedBytes
      checksum = String(Checksum(of: Array(checksum.utf8) + content).description.prefix(8))
      bytes += Array("\(content.count) \(checksum)\n".utf8) + content + [0x0A]
    }
    return Data(bytes)
  }

  /// Sets what is at a path of names and indices in a block, from 0.
  mutating func set(_ path: [String], of block: Int, to value: RecordValue?) {
    blocks[block] = Self.setting(path[...], of: blocks[block], to: value) ?? .null
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

  /// Every path in a block.
  func paths(in block: Int) -> [[String]] { Self.paths(in: blocks[block]) }

  private static func paths(in value: RecordValue) -> [[String]] {
    let parts =
      value.members.map { $0.map { ($0.name, $0.value) } }
      ?? value.elements?.enumerated().map { ("\($0)", $1) } ?? []
    return parts.flatMap { name, part in [[name]] + paths(in: part).map { [name] + $0 } }
  }
}
