import StrataColumns
package import StrataJournal
package import StrataRecords

/// The fields that the records of a table have, whatever its layouts say.
///
/// A record may have members that its layout does not list, and values of other kinds than it says. So all records are
/// read: O(their bytes).
package struct FieldsInUse: Sendable {
  /// Those of the newest layout first, with kinds that hold all values: `.tagged` for a field of several kinds.
  package private(set) var fields: [Layout.Field]
  /// The fields that every record has with a value that is not null.
  package private(set) var required: Set<String> = []
  /// The kind of the IDs, as they are without a field `id`; unknown if there are no records.
  package private(set) var idKind = Layout.Kind.unknown
  /// Whether a record has a field `id` that is not its ID.
  package private(set) var hasOtherIDs = false
  /// How many records have a value, in each field, whose kind neither its text nor the newest layout says.
  package private(set) var untold: [String: Int] = [:]

  /// One value of the dictionaries in each field, where all values in them have its kind: layouts do not say it.
  package private(set) var inDictionaries: [String: RecordValue] = [:]
  private var mixedDictionaries: Set<String> = []

  /// The fields that a record has a value in.
  package private(set) var used: Set<String> = []
  /// The kinds that the newest layout says.
  private let told: [String: Layout.Kind]
  private var places: [String: Int] = [:]
  private var isFirst = true

  /// The fields of no records.
  package init(_ newest: Layout?) {
    fields = newest?.fields ?? []
    told = Dictionary(fields.map { ($0.name, $0.kind) }) { first, _ in first }
    for (index, field) in fields.enumerated() { places[field.name] = index }
  }

  /// The fields of a table at the last revision; O(bytes).
  package init(of table: String, in view: ReadView) throws {
    self.init(view.catalog.lastLayout(of: table))
    var scan = try view.state(at: view.last.revision, scope: .table(table)).scan(table)
    while let entity = try scan.next() { try note(entity, view.catalog) }
  }

  /// Leaves out fields that no record has a value in.
  package mutating func drop(_ names: Set<String>) {
    fields.removeAll { names.contains($0.name) && !used.contains($0.name) }
    places = Dictionary(uniqueKeysWithValues: fields.indices.map { (fields[$0].name, $0) })
  }

  /// The members of a record; one that is a value without members has it as the member `value`.
  ///
  /// O(bytes).
  package static func members(
    of entity: StoredEntity,
    _ catalog: LayoutCatalog
  ) throws -> (members: [RecordValue.Member], isLone: Bool) {
    let layout = try catalog.layout(entity.layout)
    let record = try RecordValue(record: entity.record, layout: layout)
    guard let members = record.members else { return ([.init("value", record)], true) }
    return (members, false)
  }

  /// Notes a record; O(bytes).
  package mutating func note(_ entity: StoredEntity, _ catalog: LayoutCatalog) throws {
    let (members, isLone) = try Self.members(of: entity, catalog)
    var names: Set<String> = []
    for member in members {
      let place = place(of: member.name)
      if member.value == .null { continue }
      names.insert(member.name)
      let kind = fields[place].kind.including(member.value)
      if kind != fields[place].kind {
        fields[place] = Layout.Field(member.name, kind, to: fields[place].references)
      }
      if isLone || !member.value.isTold(by: told[member.name]) {
        untold[member.name, default: 0] += 1
      }
      noteDictionary(member)
      if member.name == "id", !EncodedID.bytes(of: member.value).elementsEqual(entity.id) {
        hasOtherIDs = true
      }
    }
    used.formUnion(names)
    required = isFirst ? names : required.intersection(names)
    isFirst = false
    idKind = idKind.including(try EncodedID.value(of: Array(entity.id)))
  }

  private mutating func noteDictionary(_ member: RecordValue.Member) {
    guard case .object(let members) = member.value, !mixedDictionaries.contains(member.name) else {
      return
    }
    if case .record? = told[member.name] { return }
    for value in members.lazy.map(\.value) where value != .null {
      let scalar = inDictionaries[member.name]?.scalar ?? value.scalar
      guard scalar != nil, value.scalar == scalar else {
        inDictionaries[member.name] = nil
        mixedDictionaries.insert(member.name)
        return
      }
      inDictionaries[member.name] = value
    }
  }

  private mutating func place(of name: String) -> Int {
    if let place = places[name] { return place }
    places[name] = fields.count
    fields.append(Layout.Field(name, .unknown))
    return fields.count - 1
  }
}
