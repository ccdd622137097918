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

  /// The value with its tables, as a file has it.
  func whole() throws -> RecordValue { try whole(value) }

  private func whole(_ value: RecordValue) throws -> RecordValue {
    if let table = table(value) { return try RecordValue(encoding: table).inRows }
    if let members = value.members {
      return .object(
        RecordValue.Members(
          try members.map { RecordValue.Member($0.name, try whole($0.value)) }
        )
      )
    }
    guard let elements = value.elements else { return value }
    return .array(RecordValue.Elements(try elements.map(whole)))
  }

  /// The table that a value stands for.
  private func table(_ value: RecordValue) -> (any DifferenceCodable)? {
    guard let index = tableIndex(value) else { return nil }
    return tables[index]
  }

  private func tableIndex(_ value: RecordValue) -> Int? {
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
    try difference(from: old.value, of: old, to: value)
  }

  private func difference(
    from before: RecordValue,
    of old: EncodedState,
    to after: RecordValue
  ) throws -> RecordValue? {
    let (oldTable, newTable) = (old.table(before), table(after))
    if let oldTable, let newTable, type(of: oldTable) == type(of: newTable) {
      return try newTable.difference(from: oldTable)
        .map { .array([.string("t"), try RecordValue(encoding: $0)]) }
    }
    if oldTable == nil, newTable == nil {
      if let a = before.members, let b = after.members {
        return try difference(from: a, of: old, to: b)
      }
      if let a = before.elements, let b = after.elements {
        return try difference(from: a, of: old, to: b)
      }
      if before == after { return nil }
    }
    return .array([.string("="), try whole(after)])
  }

  private func difference(
    from before: [RecordValue.Member],
    of old: EncodedState,
    to after: [RecordValue.Member]
  ) throws -> RecordValue? {
    let known = Dictionary(before.map { ($0.name, $0.value) }) { first, _ in first }
    let names = Set(after.map(\.name))
    var changes = before.filter { !names.contains($0.name) }
      .map { RecordValue.Member($0.name, .array([.string("-")])) }
    for member in after {
      if let before = known[member.name] {
        let change = try difference(from: before, of: old, to: member.value)
        if let change { changes.append(RecordValue.Member(member.name, change)) }
      } else {
        let value = try whole(member.value)
        changes.append(RecordValue.Member(member.name, .array([.string("="), value])))
      }
    }
    return changes.isEmpty ? nil : .object(RecordValue.Members(changes))
  }

  private func difference(
    from before: [RecordValue],
    of old: EncodedState,
    to after: [RecordValue]
  ) throws -> RecordValue? {
    func isEqual(_ a: RecordValue, _ b: RecordValue) throws -> Bool {
      try difference(from: a, of: old, to: b) == nil
    }
    let shorter = min(before.count, after.count)
    var start = 0
    while start < shorter, try isEqual(before[start], after[start]) { start += 1 }
    if start == before.count, start == after.count { return nil }
    var end = 0
    while end < shorter - start,
      try isEqual(before[before.count - 1 - end], after[after.count - 1 - end])
    { end += 1 }
    let new = try after[start..<(after.count - end)].map(whole)
    return .array([
      .string("s"), .integer(start), .integer(before.count - start - end),
      .array(RecordValue.Elements(new)),
    ])
  }
}

extension EncodedState {
  /// The state that `value` is the whole of, with a difference in the form above.
  init(whole value: RecordValue) {
    self.value = value.withoutRows
    tables = []
  }

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
    case ("=", 2): return all[1].withoutRows
    case ("t", 2):
      guard let value, let index = tableIndex(value) else { break }
      tables[index] = try Self.apply(all[1], to: tables[index])
      return value
    case ("s", 4):
      guard let start = all[1].integer, let count = all[2].integer, let new = all[3].elements,
        var elements = value?.elements, start >= 0, count >= 0, start <= elements.count,
        count <= elements.count - Int(start)
      else { break }
      elements.replaceSubrange(Int(start)..<Int(start + count), with: new.map(\.withoutRows))
      return .array(RecordValue.Elements(elements))
    default: break
    }
    throw doesNotFit(difference)
  }

  private func doesNotFit(_ difference: RecordValue) -> RecorderError {
    .unreadable("The change \("\(difference)".prefix(200)) does not fit the state before it.")
  }

  private static func apply<Table: DifferenceCodable>(
    _ change: RecordValue,
    to table: Table
  ) throws -> any DifferenceCodable {
    let key = SeparateParts.key
    let changed = try change.decoded(as: ChangedTable.self, [key: SeparateParts([table])])
    return changed.table
  }

  /// Decoded from a difference, with the table that it changes in the user info.
  private struct ChangedTable: Decodable {
    let table: any DifferenceCodable

    init(from decoder: any Decoder) throws {
      guard let tables = decoder.userInfo[SeparateParts.key] as? SeparateParts,
        let table = tables.all.first
      else { throw RecorderError.unreadable("A change has no table.") }
      self.table = try table.applyingDifference(from: decoder)
    }
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
      value.map { String("\($0.withoutRows)".prefix(80)) } ?? "none"
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

extension RecordValue {
  /// The entities of a table without the names of their members, if these are the same in all of them:
  /// `{"rows#":[["id","title"],[1,"a"],[2,"b"]]}`.
  fileprivate var inRows: RecordValue {
    let rows = (elements ?? []).compactMap(\.members)
    guard rows.count > 1, rows.count == elements?.count, let names = rows.first?.map(\.name),
      rows.allSatisfy({ $0.lazy.map(\.name).elementsEqual(names) })
    else { return self }
    let head = RecordValue.array(Elements(names.map { .string($0) }))
    let all = [head] + rows.map { .array(Elements($0.map(\.value))) }
    return .object([Member("rows#", .array(Elements(all)))])
  }

  /// The reverse, in all parts of a value.
  fileprivate var withoutRows: RecordValue {
    guard let members else {
      return elements.map { .array(Elements($0.map(\.withoutRows))) } ?? self
    }
    guard members.count == 1, members[0].name == "rows#", let rows = members[0].value.elements,
      let names = rows.first?.elements?.compactMap(\.text)
    else { return .object(Members(members.map { Member($0.name, $0.value.withoutRows) })) }
    return .array(
      Elements(
        rows.dropFirst().map { row in
          .object(Members(zip(names, row.elements ?? []).map { Member($0, $1) }))
        }
      )
    )
  }
}
