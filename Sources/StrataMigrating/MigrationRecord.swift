import StrataJournal
public import StrataRecords

/// A record in a migration: an entity, or a persisted value, without its type.
///
/// ```swift
/// record["title"] = record["name"]
/// record.remove("name")
/// record["age"] = .integer((try record.value(Int.self, of: "age") ?? 0) + 1)
/// ```
///
/// Fields that are not changed keep their stored values exactly. A number takes the kind that its field had where
/// it fits: an `Int32` stays one.
public struct MigrationRecord: Sendable {
  /// The table.
  public let table: String
  /// The raw value of the ID.
  ///
  /// Changing it moves the record, and changes its field `id` if it has one. References to it stay as they are;
  /// ``DataChange/changeID(of:version:_:back:)`` rewrites them.
  public var id: RecordValue
  /// The fields in their order; a field that is absent is not listed, one that is null is.
  public private(set) var members: [RecordValue.Member]
  /// Whether the record is removed when the step is done with it.
  public private(set) var isRemoved = false
  /// Whether a field has changed.
  private(set) var isChanged = false
  /// Whether it is a value without fields: a persisted value that is no struct, as the field `value`.
  let isLone: Bool
  /// The names that renamed fields have now, by their former names.
  private(set) var renamed: [String: String] = [:]

  /// A new record.
  public init(table: String, id: RecordValue, _ members: [RecordValue.Member] = []) {
    self.table = table
    self.id = id
    self.members = members
    isLone = false
    isChanged = true
  }

  init(stored members: [RecordValue.Member], id: RecordValue, in table: String) {
    self.table = table
    self.id = id
    self.members = members
    isLone = false
  }

  init(lone value: RecordValue, id: RecordValue, in table: String) {
    self.table = table
    self.id = id
    members = [.init("value", value)]
    isLone = true
  }

  /// The fields, with another ID where it has changed.
  func members(withID id: RecordValue?) -> [RecordValue.Member] {
    guard let id, let index = members.firstIndex(where: { $0.name == "id" }) else { return members }
    var members = members
    members[index].value = id.keepingKind(of: members[index].value)
    return members
  }

  /// The names of the fields.
  public var fields: [String] { members.map(\.name) }

  /// The value of a field; nil where it is absent.
  ///
  /// O(fields). Setting nil removes the field; setting a new field adds it at the end.
  public subscript(field: String) -> RecordValue? {
    get { members.first { $0.name == field }?.value }
    set {
      let index = members.firstIndex { $0.name == field }
      switch (index, newValue) {
      case (nil, nil): return
      case (let index?, nil): members.remove(at: index)
      case (let index?, let value?):
        let kept = value.keepingKind(of: members[index].value)
        if kept == members[index].value { return }
        members[index].value = kept
      case (nil, let value?): members.append(.init(field, value))
      }
      isChanged = true
    }
  }

  /// Removes fields; those that it does not have make no difference.
  public mutating func remove(_ fields: String...) {
    for field in fields { self[field] = nil }
  }

  /// Gives a field another name, and keeps its value exactly.
  ///
  /// A field that has the new name is replaced.
  public mutating func rename(_ field: String, to name: String) {
    guard field != name, let index = members.firstIndex(where: { $0.name == field }) else { return }
    members[index].name = name
    members = members.enumerated().filter { $0.offset == index || $0.element.name != name }
      .map(\.element)
    renamed = renamed.filter { $0.value != name }
    let former = renamed.first { $0.value == field }?.key ?? field
    renamed[former] = former == name ? nil : name
    isChanged = true
  }

  /// Removes the record.
  public mutating func removeRecord() { isRemoved = true }

  /// The value of a field as a type; nil where it is absent or null.
  ///
  /// - Throws: `DecodingError` when it is of another type.
  public func value<Value: Decodable>(_ type: Value.Type, of field: String) throws -> Value? {
    guard let stored = self[field], stored != .null else { return nil }
    return try stored.decoded(as: type)
  }

  /// Sets a field to a value, stored as the value's type stores it.
  ///
  /// - Throws: what its `encode(to:)` throws.
  public mutating func set(_ field: String, to value: some Encodable) throws {
    self[field] = try RecordValue(encoding: value)
  }
}

/// Persisted values.
extension MigrationRecord {
  /// Changes the persisted value whose record this is: a closure gets the fields of the value.
  mutating func changeValue(_ body: (inout MigrationRecord) throws -> Void) throws {
    guard let stored = self[StoredValues.field], stored != .null else { return }
    guard case .object(let members) = stored else { return try body(&self) }
    var value = MigrationRecord(stored: Array(members), id: id, in: table)
    try body(&value)
    if value.isRemoved {
      removeRecord()
    } else if value.isChanged {
      self[StoredValues.field] = .object(.init(value.members))
    }
  }
}
