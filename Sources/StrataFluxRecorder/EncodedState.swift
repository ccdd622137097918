import Foundation
import StrataBase

/// A state as JSON, with its entity tables beside it.
struct EncodedState: Sendable {
  let json: ExactJSON
  let parts: [any DifferenceCodable]

  private static let encoder: JSONEncoder = {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return encoder
  }()

  /// The part that a JSON value refers to.
  private func part(_ json: ExactJSON) -> (any DifferenceCodable)? {
    guard let fields = json.fields, fields.count == 1,
      let index = fields[SeparateParts.referenceKey]?.int, parts.indices.contains(index)
    else { return nil }
    return parts[index]
  }

  /// Any value as JSON.
  static func json(of value: any Encodable) throws -> ExactJSON {
    try ExactJSON(parsing: encoder.encode(value))
  }

  /// The JSON without references.
  func whole(_ json: ExactJSON) throws -> ExactJSON {
    if let part = part(json) { return try Self.json(of: part) }
    return switch json {
    case .leaf: json
    case .array(let values): .array(try values.map(whole))
    case .object(let fields): .object(try fields.mapValues(whole))
    }
  }

  /// The same state with the elements of its arrays as in `file`, except that references stay.
  func ordered(as file: ExactJSON) -> EncodedState {
    EncodedState(json: merge(json, file), parts: parts)
  }

  private func merge(_ own: ExactJSON, _ file: ExactJSON) -> ExactJSON {
    if part(own) != nil { return own }
    switch (own, file) {
    case (.object(let a), .object(let b)):
      return .object(a.filter { b[$0.key] != nil }.merging(b) { merge($0, $1) })
    case (.array(let a), .array(let b)) where a.count == b.count:
      return .array(zip(a, b).map(merge))
    default: return file
    }
  }

  /// What makes another state equal to this one; nil if they are equal.
  ///
  /// ```
  /// { "set": value }                                     replaces the value
  /// { "fields": { key: difference }, "without": [key] }  changes the fields of an object
  /// { "items": { index: difference } }                   changes elements of an array
  /// { "at": index, "drop": count, "insert": [value] }    replaces a range of an array
  /// { "table": { "put": [entity], "remove": [id] } }     changes an entity table
  /// ```
  ///
  /// O(JSON of both, and the entities that differ).
  func difference(from old: EncodedState) throws -> ExactJSON? {
    try difference(from: old.json, of: old, to: json)
  }

  private func difference(
    from before: ExactJSON,
    of old: EncodedState,
    to after: ExactJSON
  ) throws -> ExactJSON? {
    if let part = part(after), let oldPart = old.part(before), type(of: part) == type(of: oldPart) {
      return try part.difference(from: oldPart).map { .object(["table": try Self.json(of: $0)]) }
    }
    switch (before, after) {
    case (.object(let a), .object(let b)) where part(after) == nil && old.part(before) == nil:
      return try difference(from: a, of: old, to: b)
    case (.array(let a), .array(let b)):
      return try difference(from: a, of: old, to: b)
    case (.leaf(let a), .leaf(let b)) where a == b: return nil
    default: return .object(["set": try whole(after)])
    }
  }

  private func difference(
    from before: [String: ExactJSON],
    of old: EncodedState,
    to after: [String: ExactJSON]
  ) throws -> ExactJSON? {
    var fields: [String: ExactJSON] = [:]
    for (key, value) in after {
      if let known = before[key] {
        fields[key] = try difference(from: known, of: old, to: value)
      } else {
        fields[key] = .object(["set": try whole(value)])
      }
    }
    let without = before.keys.filter { after[$0] == nil }.sorted()
    if fields.isEmpty, without.isEmpty { return nil }
    var difference = ["fields": ExactJSON.object(fields)]
    if !without.isEmpty { difference["without"] = .array(without.map { .leaf("\"\($0)\"") }) }
    return .object(difference)
  }

  private func difference(
    from before: [ExactJSON],
    of old: EncodedState,
    to after: [ExactJSON]
  ) throws -> ExactJSON? {
    func isEqual(_ a: ExactJSON, _ b: ExactJSON) throws -> Bool {
      try difference(from: a, of: old, to: b) == nil
    }
    let shorter = min(before.count, after.count)
    var start = 0
    while start < shorter, try isEqual(before[start], after[start]) { start += 1 }
    if start == before.count, start == after.count { return nil }
    if before.count == after.count {
      var items: [String: ExactJSON] = [:]
      for index in start..<shorter {
        items["\(index)"] = try difference(from: before[index], of: old, to: after[index])
      }
      return .object(["items": .object(items)])
    }
    var end = 0
    while end < shorter - start,
      try isEqual(before[before.count - 1 - end], after[after.count - 1 - end])
    { end += 1 }
    return .object([
      "at": ExactJSON(start),
      "drop": ExactJSON(before.count - start - end),
      "insert": .array(try after[start..<(after.count - end)].map(whole)),
    ])
  }
}

extension EncodedState {
  /// A difference does not fit the state it is applied to.
  struct DoesNotFit: Error, CustomStringConvertible {
    let difference: String
    var description: String { "The change \(difference) does not fit the state before it." }
  }

  /// This state with a difference applied.
  ///
  /// O(JSON of the state, and the entities that differ).
  func applying(_ difference: ExactJSON) throws -> EncodedState {
    var parts = parts
    let json = try apply(difference, to: json, &parts)
    return EncodedState(json: json, parts: parts)
  }

  private func apply(
    _ difference: ExactJSON,
    to json: ExactJSON,
    _ parts: inout [any DifferenceCodable]
  ) throws -> ExactJSON {
    guard let kinds = difference.fields else { throw doesNotFit(difference) }
    if let value = kinds["set"] { return value }
    if let change = kinds["table"], let part = part(json) {
      parts.append(try Self.apply(change, to: part))
      return .object([SeparateParts.referenceKey: ExactJSON(parts.count - 1)])
    }
    if let changes = kinds["fields"]?.fields, var fields = json.fields {
      for key in kinds["without"]?.array ?? [] {
        fields[String(key.text.dropFirst().dropLast())] = nil
      }
      for (key, change) in changes {
        fields[key] = try fields[key].map { try apply(change, to: $0, &parts) } ?? change["set"]
      }
      return .object(fields)
    }
    if let changes = kinds["items"]?.fields, var items = json.array {
      for (key, change) in changes {
        guard let index = Int(key), items.indices.contains(index) else {
          throw doesNotFit(difference)
        }
        items[index] = try apply(change, to: items[index], &parts)
      }
      return .array(items)
    }
    if let start = kinds["at"]?.int, let count = kinds["drop"]?.int,
      let new = kinds["insert"]?.array,
      var items = json.array, start >= 0, count >= 0, start <= items.count,
      count <= items.count - start
    {
      items.replaceSubrange(start..<(start + count), with: new)
      return .array(items)
    }
    if kinds.isEmpty { return json }
    throw doesNotFit(difference)
  }

  private func doesNotFit(_ difference: ExactJSON) -> DoesNotFit {
    DoesNotFit(difference: String(difference.text.prefix(200)))
  }

  private static func apply<Part: DifferenceCodable>(
    _ change: ExactJSON,
    to part: Part
  ) throws -> Part {
    let decoder = JSONDecoder()
    decoder.userInfo[SeparateParts.key] = SeparateParts([part])
    let applied = try decoder.decode(ChangedPart.self, from: change.data).part
    guard let applied = applied as? Part else { return part }
    return applied
  }
}

/// The part in the user info of the decoder, with the decoded difference applied.
private struct ChangedPart: Decodable {
  let part: any DifferenceCodable

  init(from decoder: any Decoder) throws {
    guard let list = decoder.userInfo[SeparateParts.key] as? SeparateParts,
      let part = list.all.first
    else { fatalError("A difference is decoded without its part. Set userInfo.") }
    self.part = try part.applyingDifference(from: decoder)
  }
}
