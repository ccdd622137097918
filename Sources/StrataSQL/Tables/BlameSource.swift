import StrataRecords
import StrataSQLite
import StrataStorage

/// Which commit gave each field of each entity its value: `users_blame`.
///
/// A row for each field that an entity has at the revision of the query. A value that is older than the
/// journal has the oldest revision that can be read, and no commit.
///
/// It holds the versions that the journal has of the entities, so its memory is about the size of their
/// records there; with a condition on the ID it is that of one entity.
final class BlameSource: TableSource {
  let name: String
  let columns: [Column]
  private let table: String
  private let entity: EntityColumns

  init(_ name: String, _ table: String, _ layouts: [Layout]) {
    self.name = name
    self.table = table
    var names = UniqueNames()
    entity = EntityColumns(layouts, names: &names)
    columns =
      [entity.columns[0], Column("field", .string), Column("value", .any)] + CommitColumns.all
  }

  var narrowing: [Int] { [0] }
  var ordering: Int? { entity.columns[0].kind.sortsAsID ? 0 : nil }

  func rows(
    _ arguments: [Value],
    _ conditions: [Condition],
    used: Set<Int>,
    in context: QueryContext
  ) throws -> any TableRows {
    let filter = EntityFilter(conditions, ofIDKind: entity.columns[0].kind)
    var history = EntityVersions(oldest: context.view.oldest)
    try history.read(table, filter, in: context)
    return BlameRows(
      history,
      try context.state(at: context.revision).scan(table, filter),
      idKind: entity.columns[0].kind,
      context
    )
  }
}

/// The versions of the entities of a table that the journal changed.
private struct EntityVersions {
  struct Version {
    /// Nil for what was there at the oldest revision.
    let commit: Int?
    /// Nil where the entity was removed.
    let record: (layout: Int64, bytes: [UInt8])?
  }

  let oldest: Revision
  private(set) var commits: [DeltaHeader] = []
  private(set) var versions: [[UInt8]: [Version]] = [:]

  init(oldest: Revision) { self.oldest = oldest }

  mutating func read(_ table: String, _ filter: EntityFilter, in context: QueryContext) throws {
    var changes = try context.changes(after: oldest)
    while changes.revision < context.revision, let (header, blocks) = try changes.next() {
      try context.checkTime()
      guard header.revision <= context.revision else { break }
      commits.append(header)
      for block in blocks {
        guard let number = block.tables.firstIndex(of: table) else { continue }
        for entry in block.entries where entry.table == number {
          let id = block.id(of: entry)
          guard filter.contains(id) else { continue }
          let commit = commits.count - 1
          switch entry.change {
          case .put(let layout, let record):
            let bytes = Array(block.bytes[record])
            versions[Array(id), default: []].append(.init(commit: commit, record: (layout, bytes)))
          case .remove:
            versions[Array(id), default: []].append(.init(commit: commit, record: nil))
          case .notPersisted: continue
          }
        }
      }
    }
    guard !versions.isEmpty else { return }
    var base = try context.state(at: oldest).scan(table, filter)
    while let entity = try base.next() {
      try context.checkTime()
      let id = Array(entity.id)
      guard versions[id] != nil else { continue }
      let version = Version(commit: nil, record: (entity.layout, Array(entity.record)))
      versions[id]?.insert(version, at: 0)
    }
  }
}

private final class BlameRows: TableRows {
  private struct Field {
    let name: String
    let value: RecordValue
    let commit: DeltaHeader?
  }

  private let history: EntityVersions
  private var scan: EntityScan
  private let idKind: ColumnKind
  private let context: QueryContext
  private var id: Value = .null
  private var fields: ArraySlice<Field> = []
  private var current: Field?

  init(
    _ history: EntityVersions,
    _ scan: EntityScan,
    idKind: ColumnKind,
    _ context: QueryContext
  ) {
    self.history = history
    self.scan = scan
    self.idKind = idKind
    self.context = context
  }

  func next() throws -> Bool {
    while fields.isEmpty {
      try context.checkTime()
      guard let entity = try scan.next() else { return false }
      id = try ColumnValue.value(ofID: entity.id, of: idKind)
      fields = try blame(entity)[...]
    }
    current = fields.popFirst()
    return true
  }

  /// The fields of an entity, each with the commit since which it has had its value.
  private func blame(_ entity: StoredEntity) throws -> [Field] {
    var members = try context.members(entity.layout, entity.record)
    var commits: [String: DeltaHeader] = [:]
    var open = Set(members.map(\.name))
    // From the newest version backwards: a field is done at the first version that differs.
    var newer = history.versions[Array(entity.id)] ?? []
    var current = members
    while let version = newer.popLast(), !open.isEmpty {
      // The newest version is the entity itself.
      let before: [RecordValue.Member]
      if let record = newer.last?.record {
        before = try context.members(record.layout, record.bytes[...])
      } else {
        before = []
      }
      guard let number = version.commit else { break }
      for member in current where open.contains(member.name) {
        if before.first(where: { $0.name == member.name })?.value != member.value {
          commits[member.name] = history.commits[number]
          open.remove(member.name)
        }
      }
      current = before
    }
    members.removeAll { $0.name == "id" && EncodedID.bytes(of: $0.value)[...] == entity.id }
    return members.map { Field(name: $0.name, value: $0.value, commit: commits[$0.name]) }
  }

  func value(_ index: Int) throws -> Value {
    guard let current else { return .null }
    switch index {
    case 0: return id
    case 1: return .text(current.name)
    case 2: return ColumnValue.value(current.value, of: .any)
    default: return CommitColumns.value(index - 3, current.commit, or: history.oldest)
    }
  }
}
