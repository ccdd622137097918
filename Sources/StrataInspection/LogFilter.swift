import StrataJournal
import StrataRecords

/// Which deltas of the journal a log lists: those that meet every condition.
package struct LogFilter: Sendable, Equatable {
  /// That changed an entity of this table.
  package var table: String?
  /// That changed this entity of the table, by its ID as a person writes it.
  package var id: String?
  /// Whose name contains this text, without regard to case.
  package var name: String?
  /// Whose context names this user.
  package var user: String?

  package init(
    table: String? = nil,
    id: String? = nil,
    name: String? = nil,
    user: String? = nil
  ) {
    self.table = table
    self.id = id
    self.name = name
    self.user = user
  }

  /// Whether it lists every delta.
  package var isEmpty: Bool { self == LogFilter() }
}

/// A ``LogFilter`` that is ready to be asked.
struct LogCondition {
  private let filter: LogFilter
  private let name: SearchText?
  private let ids: Set<[UInt8]>

  init(_ filter: LogFilter) {
    self.filter = filter
    name = filter.name.map { SearchText($0) }
    ids = Set(filter.id.map { EncodedID.candidates(for: $0) } ?? [])
  }

  /// Whether a delta is listed.
  func accepts(_ header: DeltaHeader, _ blocks: [ChangeBlock]) throws -> Bool {
    if let name, !name.isIn(header.name) { return false }
    if let user = filter.user {
      guard try header.contexts().contexts.contains(where: { $0.user == user }) else {
        return false
      }
    }
    guard let table = filter.table else { return true }
    return blocks.contains { block in
      guard let number = block.tables.firstIndex(of: table) else { return false }
      if filter.id == nil { return block.entries.contains { $0.table == number } }
      return block.entries.contains { $0.table == number && ids.contains(Array(block.id(of: $0))) }
    }
  }
}
