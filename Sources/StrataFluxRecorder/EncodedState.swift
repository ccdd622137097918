import StrataBase
import StrataRecords

/// A state as a record stores it, with its entity tables beside it, and its difference from another one.
///
/// ```
/// ["=", value]                             replaces the value
/// { member: difference or ["-"] }          changes or removes members of an object
/// ["s", index, count, [value, …]]          replaces a range of an array
/// ["t", { put: [entity], remove: [id] }]   changes an entity table
/// ```
struct EncodedState: Sendable {
  private var value: RecordValue
  private var tables: [any DifferenceCodable]

  /// O(state without its tables).
  init(of state: some Encodable) throws {
    let tables = SeparateParts()
    value = try RecordValue(encoding: state, [SeparateParts.key: tables])
    self.tables = tables.all
  }

  /// O(state without its tables).
  func decoded<State: Decodable>(as type: State.Type) throws -> State {
    try value.decoded(as: type, [SeparateParts.key: SeparateParts(tables)])
  }

  /// A value with the tables in it.
  private func whole(_ value: RecordValue) throws -> RecordValue {
    if let index = table(value) { return try RecordValue(encoding: tables[index]) }
    if let members = value.members {
      let members = try members.map { RecordValue.Member($0.name, try whole($0.value)) }
      return .object(RecordValue.Members(members))
    }
    guard let elements = value.elements else { return value }
    return .array(RecordValue.Elements(try elements.map(whole)))
  }

  /// The index of the table that a value stands for.
  private func table(_ value: RecordValue) -> Int? {
    guard let only = value.members, only.count == 1, only[0].name == SeparateParts.referenceKey,
      let index = only[0].value.integer, tables.indices.contains(Int(index))
    else { return nil }
    return Int(index)
  }
}

extension EncodedState {
  /// What makes another state equal to this one; nil if they are equal.
  ///
  /// O(both states without their tables, and the entities that differ).
  func difference(from old: EncodedState) throws -> RecordValue? {
    try difference(of: value, from: old.value, in: old)
  }

  private func difference(
    of new: RecordValue,
    from before: RecordValue?,
    in old: EncodedState
  ) throws -> RecordValue? {
    switch (before.flatMap(old.table), table(new)) {
    case (let a?, let b?) where type(of: old.tables[a]) == type(of: tables[b]):
      return try Self.difference(of: tables[b], from: old.tables[a])
    case (nil, nil):
      if let a = before?.members, let b = new.members {
        return try difference(of: b, from: a, in: old)
      }
      if let a = before?.elements, let b = new.elements {
        return try difference(of: b, from: a, in: old)
      }
      if before == new { return nil }
    default: break
    }
    return .array([.string("="), try whole(new)])
  }

  private static func difference<Table: DifferenceCodable>(
    of table: Table,
    from old: any DifferenceCodable
  ) throws -> RecordValue? {
    try (old as? Table).flatMap { table.difference(from: $0) }
      .map { .array([.string("t"), try RecordValue(encoding: $0)]) }
  }

  private func difference(
    of new: [RecordValue.Member],
    from before: [RecordValue.Member],
    in old: EncodedState
  ) throws -> RecordValue? {
    let known = Dictionary(before.map { ($0.name, $0.value) }) { first, _ in first }
    let names = Set(new.map(\.name))
    var changes = before.filter { !names.contains($0.name) }
      .map { RecordValue.Member($0.name, .array([.string("-")])) }
    for member in new {
      let change = try difference(of: member.value, from: known[member.name], in: old)
      if let change { changes.append(RecordValue.Member(member.name, change)) }
    }
    return changes.isEmpty ? nil : .object(RecordValue.Members(changes))
  }

  private func difference(
    of new: [RecordValue],
    from before: [RecordValue],
    in old: EncodedState
  ) throws -> RecordValue? {
    func isEqual(_ a: RecordValue, _ b: RecordValue) throws -> Bool {
      try difference(of: b, from: a, in: old) == nil
    }
    let shorter = min(before.count, new.count)
    var (start, end) = (0, 0)
    while start < shorter, try isEqual(before[start], new[start]) { start += 1 }
    if start == before.count, start == new.count { return nil }
    while end < shorter - start,
      try isEqual(before[before.count - 1 - end], new[new.count - 1 - end])
    { end += 1 }
    return .array([
      .string("s"), .integer(start), .integer(before.count - start - end),
      .array(RecordValue.Elements(try new[start..<(new.count - end)].map(whole))),
    ])
  }
}

extension EncodedState {
  /// This state with a difference applied.
  ///
  /// O(state without its tables, and the entities that differ).
  func applying(_ difference: RecordValue) throws -> EncodedState {
    var state = self
    state.value = try state.apply(difference, to: value)
    return state
  }

  private mutating func apply(
    _ difference: RecordValue,
    to value: RecordValue?
  ) throws -> RecordValue {
    if let value, difference == .object([]) { return value }
    if let changes = difference.members, var members = value?.members {
      for change in changes {
        let index = members.firstIndex { $0.name == change.name }
        if change.value.elements?.first?.text == "-", let index {
          members.remove(at: index)
        } else {
          let new = try apply(change.value, to: index.map { members[$0].value })
          let member = RecordValue.Member(change.name, new)
          if let index { members[index] = member } else { members.append(member) }
        }
      }
      return .object(RecordValue.Members(members))
    }
    let all = difference.elements ?? []
    switch (all.first?.text, all.count) {
    case ("=", 2): return all[1]
    case ("t", 2):
      guard let value, let index = table(value) else { break }
      tables[index] = try Self.apply(all[1], to: tables[index])
      return value
    case ("s", 4):
      guard let start = all[1].integer, let count = all[2].integer, let new = all[3].elements,
        var elements = value?.elements, start >= 0, count >= 0, start <= elements.count,
        count <= elements.count - Int(start)
      else { break }
      elements.replaceSubrange(Int(start)..<Int(start + count), with: new)
      return .array(RecordValue.Elements(elements))
    default: break
    }
    let text = "\(difference)".prefix(200)
    throw RecorderError.unreadable("The change \(text) does not fit the state before it.")
  }

  private static func apply<Table: DifferenceCodable>(
    _ change: RecordValue,
    to table: Table
  ) throws -> any DifferenceCodable {
    table.applying(try change.decoded(as: Table.Difference.self))
  }

  /// The differences of this state from another one for a person, each with the path of its field.
  func changes(from old: EncodedState) throws -> [String] {
    try difference(from: old).map { Self.lines(of: $0, in: old.value, at: "") } ?? []
  }

  private static func lines(
    of difference: RecordValue,
    in old: RecordValue?,
    at path: String
  ) -> [String] {
    func text(_ value: RecordValue?) -> String {
      value.map { String("\($0)".prefix(80)) } ?? "none"
    }
    if let changes = difference.members {
      return changes.flatMap { change in
        let name = path.isEmpty ? change.name : "\(path).\(change.name)"
        return lines(of: change.value, in: old?[change.name], at: name)
      }
    }
    let all = difference.elements ?? []
    switch all.first?.text {
    case "-": return ["\(path): \(text(old)) → none"]
    case "=": return ["\(path): \(text(old)) → \(text(all[1]))"]
    case "s": return ["\(path): \(text(all[2])) elements at \(text(all[1])) → \(text(all[3]))"]
    default:
      return ["put", "remove"].compactMap { verb in
        all.last?[verb].map { "\(path): \(verb) \(text($0))" }
      }
    }
  }
}
