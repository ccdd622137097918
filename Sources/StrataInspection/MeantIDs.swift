import StrataBase
package import StrataJournal
package import StrataRecords

/// The entities that a person means by an ID.
extension ReadView {
  /// The encoded IDs of a table that a person may mean by a text, or all that may be meant if the file has none of them.
  ///
  /// One that the file has, or had in its history, is found by the text that is printed for it. O(1) in a table whose IDs
  /// are texts, integers or UUIDs; else O(entities of the table and changes of the journal).
  ///
  /// An ID whose text it is comes before one that is written so with its kind; a text in quotes is first the one in
  /// them, as it is printed.
  ///
  /// - Throws: `.ambiguous` where the table has several of them.
  package func ids(meantBy text: String, in table: String) throws -> [[UInt8]] {
    let kinds = idKinds(of: table)
    let candidates = EncodedID.candidates(for: text).filter { id in
      kinds.map { $0.contains(id.first ?? 0) } ?? true
    }
    // A text is also printed with escapes.
    let isPlain = kinds != nil && !text.utf8.contains(UInt8(ascii: "\\"))
    if isPlain, candidates.count == 1 { return candidates }
    let known = Set(
      try known(isPlain ? .ids(Set(candidates)) : .all, in: table) { id in
        EncodedID.meaning(of: text, for: id) != nil
      }
    )
    let likeliest: EncodedID.Meaning = text.isInQuotes ? .marked : .plain
    let likely = known.filter { EncodedID.meaning(of: text, for: $0[...]) == likeliest }
    let found = likely.isEmpty ? known : likely
    guard found.count > 1 else { return found.isEmpty ? candidates : Array(found) }
    let texts = try found.map { try EncodedID.exactText(of: $0[...]) }.inOrder()
    throw PersistenceError.Reason.ambiguous("ID \(text) of \(table)", texts)
  }

  /// The first bytes of the IDs of a table; nil if they may be of a kind without an order.
  private func idKinds(of table: String) -> Set<UInt8>? {
    var kinds: Set<UInt8> = []
    let layouts = catalog.layouts(of: table)
    for layout in layouts {
      guard let id = layout.fields.first(where: { $0.name == "id" }),
        let bytes = EncodedID.firstBytes(of: id.kind)
      else { return nil }
      kinds.formUnion(bytes)
    }
    return layouts.isEmpty ? nil : kinds
  }

  /// The IDs of a table that are meant, of entities that are there or were at the oldest revision, or changed
  /// since.
  private func known(
    _ filter: EntityFilter,
    in table: String,
    where isMeant: (ArraySlice<UInt8>) -> Bool
  ) throws -> [[UInt8]] {
    var found: [[UInt8]] = []
    let keys = filter.keys(of: table)
    var scan = try state(at: oldest, scope: keys.map { .entities($0) } ?? .table(table))
      .scan(table, filter)
    while let entity = try scan.next() {
      if isMeant(entity.id) { found.append(Array(entity.id)) }
    }
    var changes = EntityChanges(
      of: table,
      filter,
      in: try self.changes(after: oldest),
      through: last.revision
    )
    while let change = try changes.next() {
      if isMeant(change.id) { found.append(Array(change.id)) }
    }
    return found
  }

  /// The part of a table that a read of one entity needs, and the filter for it; all of the table without an ID.
  package func entities(
    of table: String,
    meantBy id: String?
  ) throws -> (scope: ReadScope, filter: EntityFilter) {
    guard let id else { return (.table(table), .all) }
    let ids = try ids(meantBy: id, in: table)
    return (.entities(ids.map { EntityKey(table: table, id: $0[...]) }), .ids(Set(ids)))
  }
}

extension Layout.Reference {
  /// The encoded IDs at this place of a value; for the key of a dictionary, all IDs that it may mean.
  ///
  /// - Parameter steps: how many steps of the path lead to the value.
  package func encodedIDs(in value: RecordValue, behind steps: Int = 0) -> [[UInt8]] {
    values(at: path.dropFirst(steps), in: value).flatMap { candidates(for: $0) }
  }

  /// The values at the end of a path, without null; none where a part is missing.
  ///
  /// A dictionary is an object if its keys are texts, else an array of alternating keys and values.
  private func values(at path: ArraySlice<Step>, in value: RecordValue) -> [RecordValue] {
    guard let step = path.first else { return value == .null ? [] : [value] }
    let parts: [RecordValue] =
      switch (step, value) {
      case (.field(let name), .object(let members)):
        members.filter { $0.name == name }.map(\.value)
      case (.element, .array(let elements)): Array(elements)
      case (.value, .object(let members)): members.map(\.value)
      case (.key, .object(let members)): members.map { .string($0.name) }
      case (.key, .array(let elements)):
        elements.enumerated().filter { $0.offset % 2 == 0 }.map(\.element)
      case (.value, .array(let elements)):
        elements.enumerated().filter { $0.offset % 2 == 1 }.map(\.element)
      default: []
      }
    return parts.flatMap { values(at: path.dropFirst(), in: $0) }
  }
}
