import StrataRecords

/// The part of a database that a read needs.
package enum ReadScope {
  case everything
  /// The entities of a table.
  case table(String)
  /// The entities with these keys.
  case entities([EntityKey])
  /// The entities of a table whose encoded IDs are in a range.
  case range(table: String, from: [UInt8]?, before: [UInt8]?)

  /// Whether an entry of a block is in the scope.
  func contains(_ entry: ChangeBlock.Entry, of block: ChangeBlock) -> Bool {
    switch self {
    case .everything: true
    case .table(let table): block.table(of: entry) == table
    case .entities(let keys):
      keys.contains { key in
        key.id.count == entry.id.count && key.table == block.table(of: entry)
          && key.id == block.id(of: entry)
      }
    case .range(let table, let from, let before):
      block.table(of: entry) == table && block.id(of: entry).isIn(from: from, before: before)
    }
  }
}

extension ArraySlice<UInt8> {
  /// Whether an encoded ID is in a range.
  func isIn(from: [UInt8]?, before: [UInt8]?) -> Bool {
    if let from, lexicographicallyPrecedes(from) { return false }
    return before.map { lexicographicallyPrecedes($0) } ?? true
  }
}

extension ReadScope {
  /// The entities of a table that a person may mean by an ID; all of them without one.
  package static func entities(of table: String, meantBy id: String?) -> ReadScope {
    guard let id else { return .table(table) }
    return .entities(EncodedID.candidates(for: id).map { EntityKey(table: table, id: $0[...]) })
  }
}
