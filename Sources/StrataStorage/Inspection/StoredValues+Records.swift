import StrataRecords

extension StoredValues {
  /// The value in the record that holds it; nil for an entity.
  static func value(in record: RecordValue, of table: String) -> RecordValue? {
    guard name(ofTable: table) != nil, case .object(let members) = record,
      let only = members.only, only.name == field
    else { return nil }
    return only.value
  }

  /// The fields of a value, from those of the record that holds it; its kind where it has no fields.
  static func fields(in record: [Layout.Field]) -> [FieldSummary] {
    guard let value = record.first(where: { $0.name == field }) else {
      return record.map(FieldSummary.init)
    }
    if case .record(let fields) = value.kind { return fields.map(FieldSummary.init) }
    var summary = FieldSummary(value)
    summary.name = ""
    return [summary]
  }
}
