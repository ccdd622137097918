import StrataBase
import StrataJournal
import StrataRecords
import StrataStorage

/// Fields whose values equal IDs that a step has changed, although nothing says that they are references.
///
/// Texts and UUIDs count if one of a field's first 256 values is such an ID, numbers only if all of its values are:
/// small numbers equal IDs by chance.
struct UnfollowedIDs {
  private struct Field {
    var values = 0
    var equal = 0
    var isNumber = false
    var isOther: Bool { isNumber ? equal < values : equal == 0 && values >= 256 }
  }

  private let staging: MigrationStaging
  /// The first bytes of the old IDs, which say what kinds they are of.
  private let kinds: Set<UInt8>
  /// The places that follow.
  private let followed: Set<String>
  private var fields: [String: Field] = [:]

  init(_ staging: MigrationStaging, kinds: Set<UInt8>, besides references: [Layout.Reference]) {
    (self.staging, self.kinds) = (staging, kinds)
    followed = Set(references.map { String($0.place.prefix { $0 != "{" }) })
  }

  /// Looks at the fields of a record.
  mutating func look(at members: [RecordValue.Member]) throws {
    for member in members where member.name != "id" { try look(at: member.value, member.name) }
  }

  /// The fields of the table whose records it has seen, as findings.
  func findings(in table: String, of target: String) -> [MigrationFinding] {
    fields.filter { $0.value.equal > 0 && !$0.value.isOther }.sorted { $0.key < $1.key }
      .map { place, field in
        MigrationFinding(
          .unfollowed,
          table: table,
          field: place,
          count: field.equal,
          detail: """
            \(Measures.count(field.equal, "value", "values")) of \(table).\(place) \
            \(field.equal == 1 ? "equals a former ID" : "equal former IDs") of \(target), and nothing says that \
            they are references, so they stay as they are
            """
        )
      }
  }

  private mutating func look(at value: RecordValue, _ place: String) throws {
    if followed.contains(place) { return }
    switch value {
    case .object(let members):
      for member in members { try look(at: member.value, "\(place).\(member.name)") }
    case .array(let elements):
      for element in elements { try look(at: element, "\(place)[]") }
    case .null, .bool, .float, .double, .date, .data: return
    default: try count(value, place)
    }
  }

  private mutating func count(_ value: RecordValue, _ place: String) throws {
    var field = fields[place] ?? Field()
    // The keys of dictionaries are places too.
    if field.isOther || fields.count > 1_000 { return }
    field.values += 1
    if case .string = value {} else { field.isNumber = value.integer != nil }
    let id = EncodedID.bytes(of: value)
    if let kind = id.first, kinds.contains(kind),
      let new = try staging.newValue(of: id),
      EncodedID.bytes(of: try RecordValue(taggedBytes: new)) != id
    {
      field.equal += 1
    }
    fields[place] = field
  }
}
