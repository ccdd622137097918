/// Finds the members of a record or an object by name.
///
/// Types ask for their members in the order they were written in, so the one that comes next is tried
/// first, then the layout's index; among the members of an object, and the extras of a record, the
/// next one and then all, through an index of their own when they are many.
final class TapeMembers {
  private let tape: RecordTape
  /// The fields of a record's layout; none for an object.
  private let fieldNames: [String]
  private let fieldNamed: [String: Int]
  private let start: Int
  private let end: Int
  /// The field that was found last, and its token.
  private var field = 0
  private var fieldToken: Int
  /// The token of the name after the one that was found last.
  private var nextName: Int?
  private var nameIndex: [String: Int]?

  /// The members of the value there, or nil when it is neither a record nor an object.
  init?(of spot: TapeSpot) {
    guard let token = spot.token else { return nil }
    switch token.tag {
    case .record:
      let table = spot.tape.layout.tables.records[Int(token.bits)]
      (fieldNames, fieldNamed) = (table.names, table.fieldNamed)
    case .object: (fieldNames, fieldNamed) = ([], [:])
    default: return nil
    }
    tape = spot.tape
    start = spot.inside
    end = token.end
    fieldToken = start
  }

  /// The member of that name; no value when it is absent.
  func member(named name: String) -> TapeSpot {
    if field < fieldNames.count, fieldNames[field] == name { return found(fieldToken) }
    if field + 1 < fieldNames.count, fieldNames[field + 1] == name {
      move(to: field + 1)
      return found(fieldToken)
    }
    if let index = fieldNamed[name] {
      move(to: index)
      return found(fieldToken)
    }
    return TapeSpot(tape, namedMember(name))
  }

  /// The names of all that is present, null included, in the stored order.
  var names: [String] {
    var names: [String] = []
    var token = start
    for name in fieldNames {
      if tape.tokens[token].tag != .absent { names.append(name) }
      token = tape.tokens[token].end
    }
    while token < end {
      names.append(TapeSpot(tape, token).text)
      token = tape.tokens[token + 1].end
    }
    return names
  }

  private func found(_ token: Int) -> TapeSpot {
    TapeSpot(tape, tape.tokens[token].tag == .absent ? nil : token)
  }

  private func move(to index: Int) {
    if index < field { (field, fieldToken) = (0, start) }
    while field < index {
      fieldToken = tape.tokens[fieldToken].end
      field += 1
    }
  }

  private var firstName: Int {
    var token = start
    for _ in fieldNames { token = tape.tokens[token].end }
    return token
  }

  private func namedMember(_ name: String) -> Int? {
    let first = nextName ?? firstName
    if first < end, TapeSpot(tape, first).text == name {
      nextName = tape.tokens[first + 1].end
      return first + 1
    }
    if nameIndex == nil { nameIndex = makeNameIndex() }
    guard let value = nameIndex?[name] else {
      nextName = first
      return nil
    }
    nextName = tape.tokens[value].end
    return value
  }

  /// Of two members of one name the first counts.
  private func makeNameIndex() -> [String: Int] {
    var index: [String: Int] = [:]
    var token = firstName
    while token < end {
      let name = TapeSpot(tape, token).text
      if index[name] == nil { index[name] = token + 1 }
      token = tape.tokens[token + 1].end
    }
    return index
  }
}
