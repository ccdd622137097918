import StrataJournal
import StrataRecords
import StrataStorage

/// What the values of two records show.
extension MigrationDifference {
  /// Counts the values that a record has lost.
  ///
  /// Records without members beside their layouts are compared without their values.
  mutating func note(
    _ former: StoredEntity,
    _ current: StoredEntity,
    _ comparison: inout Comparison
  ) throws {
    let (before, after) = (try workspace.opened(former), try workspace.opened(current))
    let (old, new) = (
      try workspace.layout(before.layout), try workspace.layout(after.layout)
    )
    if old.isOfSealedRecords || new.isOfSealedRecords { return }
    let presence = (FieldPresence(before.record, old), FieldPresence(after.record, new))
    if try !comparison.sources.knows(before.record, old, after.record, new) {
      comparison.sources.note(
        try RecordValue(record: before.record, layout: old),
        old,
        try RecordValue(record: after.record, layout: new),
        new
      )
    }
    guard let had = presence.0, let has = presence.1 else {
      return try noteValues(before, old, after, new, &comparison)
    }
    if before.layout == after.layout, had.isSame(as: has),
      !comparison.shape.hasOtherColumns
    {
      return
    }
    let pairs = pairs(before.layout, old, after.layout, new, comparison.shape)
    for pair in pairs where had[pair.before].hasValue {
      // The field that repeats the ID has another value then.
      if pair.name == "id", before.id != after.id { continue }
      guard let field = pair.after, has[field].hasValue else {
        let isKept = try pair.renamed.contains { renamed in
          guard has[renamed.after].hasValue else { return false }
          guard let place = renamed.before, had[place].hasValue else { return true }
          // Both had a value before, so only the value shows which one this is.
          return try Self.isSame(pair.name, before, old, renamed.name, after, new)
        }
        if !isKept { comparison.report.valuesLost[pair.name, default: 0] += 1 }
        continue
      }
      guard let narrowing = pair.narrowing, had[pair.before] == .value, has[field] == .value else {
        continue
      }
      comparison.report.addNarrowing(of: pair.name, narrowing.from, narrowing.to)
      if try !Self.isSame(pair.name, before, old, pair.current, after, new) {
        comparison.lossy[pair.name, default: 0] += 1
      }
    }
  }

  /// Whether a field has the value that another one had.
  private static func isSame(
    _ field: String,
    _ before: StoredEntity,
    _ old: Layout,
    _ name: String,
    _ after: StoredEntity,
    _ new: Layout
  ) throws -> Bool {
    guard let had = try RecordValue(record: before.record, layout: old)[field],
      let has = try RecordValue(record: after.record, layout: new)[name]
    else { return false }
    return has.keepingKind(of: had) == had
  }

  private func noteValues(
    _ before: StoredEntity,
    _ old: Layout,
    _ after: StoredEntity,
    _ new: Layout,
    _ comparison: inout Comparison
  ) throws {
    let has = try RecordValue(record: after.record, layout: new)
    let had = try RecordValue(record: before.record, layout: old)
    guard case .object(let members) = had, case .object(let left) = has else { return }
    var kept: Set<String> = []
    for member in left where member.value != .null { kept.insert(member.name) }
    for member in members where member.value != .null {
      if member.name == "id", before.id != after.id { continue }
      let current = comparison.shape.name(of: member.name)
      if current.map(kept.contains) ?? false { continue }
      let isKept = comparison.shape.names(of: member.name).contains { name in
        guard kept.contains(name) else { return false }
        guard let earlier = had[name], earlier != .null else { return true }
        return has[name]?.keepingKind(of: member.value) == member.value
      }
      if !isKept { comparison.report.valuesLost[member.name, default: 0] += 1 }
    }
  }

  private mutating func pairs(
    _ before: Int64,
    _ old: Layout,
    _ after: Int64,
    _ new: Layout,
    _ shape: TableShape
  ) -> [FieldPair] {
    if let known = fieldPairs[before]?[after] { return known }
    let pairs = old.fields.enumerated().map { index, field in
      let current = shape.name(of: field.name)
      let after = current.flatMap { name in new.fields.firstIndex { $0.name == name } }
      var narrowing: (from: String, to: String)?
      if let after, case .scalar(let from) = field.kind,
        case .scalar(let to) = new.fields[after].kind, to.isNarrower(than: from)
      {
        narrowing = ("\(from)", "\(to)")
      }
      let renamed = shape.names(of: field.name).sorted().compactMap { name in
        new.fields.firstIndex { $0.name == name }.map { place in
          (name: name, after: place, before: old.fields.firstIndex { $0.name == name })
        }
      }
      return FieldPair(
        name: field.name,
        current: current ?? field.name,
        before: index,
        after: after,
        narrowing: narrowing,
        renamed: renamed
      )
    }
    fieldPairs[before, default: [:]][after] = pairs
    return pairs
  }
}

extension MigrationTableReport {
  /// Counts a value of a field whose kind holds less than before.
  fileprivate mutating func addNarrowing(of field: String, _ from: String, _ to: String) {
    let index = narrowed.firstIndex { ($0.field, $0.from, $0.to) == (field, from, to) }
    if let index {
      narrowed[index].count += 1
    } else {
      narrowed.append(Narrowing(field: field, from: from, to: to, count: 1))
    }
  }
}

extension Scalar {
  /// Whether it holds fewer numbers than another kind of number.
  fileprivate func isNarrower(than other: Scalar) -> Bool {
    guard let own = numbers, let others = other.numbers else { return false }
    return own.digits < others.digits || !own.hasSign && others.hasSign
      || !own.hasFraction && others.hasFraction
  }

  /// What a kind of number holds; nil for other kinds.
  ///
  /// The digits are those that an integer may have in binary such that all integers up to it are exact.
  private var numbers: (digits: Int, hasSign: Bool, hasFraction: Bool)? {
    switch self {
    case .bool: (1, false, false)
    case .int8: (7, true, false)
    case .uint8: (8, false, false)
    case .int16: (15, true, false)
    case .uint16: (16, false, false)
    case .int32: (31, true, false)
    case .uint32: (32, false, false)
    case .int64: (63, true, false)
    case .uint64: (64, false, false)
    case .float: (24, true, true)
    case .double: (53, true, true)
    case .decimal: (126, true, true)
    case .string, .data, .date, .uuid, .url: nil
    }
  }
}
