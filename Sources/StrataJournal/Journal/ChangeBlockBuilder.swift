import StrataRecords

/// Builds the bytes of a ``ChangeBlock``.
///
/// The changes of a table must be added one after another.
package struct ChangeBlockBuilder {
  private struct Table {
    let name: String
    var count = 0
    var list: [UInt8] = []
  }

  private var tables: [Table] = []
  private var records: [UInt8] = []
  private var listSize = 0
  package private(set) var count = 0
  package private(set) var layouts: Set<Int64> = []

  package init() {}

  package var isEmpty: Bool { count == 0 }

  /// The approximate size of the block in bytes.
  package var size: Int { listSize + records.count }

  /// Adds a record, and the key that it had before a migration gave it another ID or its table another name.
  package mutating func put(
    _ id: some Collection<UInt8>,
    in table: String,
    layout: Int64,
    record: some Collection<UInt8>,
    former: EntityKey? = nil
  ) {
    add(op: former == nil ? 0 : 3, id, to: table) { list in
      list.appendVarint(UInt64(bitPattern: layout))
      list.appendVarint(UInt64(record.count))
      guard let former else { return }
      list.appendText(former.table)
      list.appendVarint(UInt64(former.id.count))
      list.append(contentsOf: former.id)
    }
    layouts.insert(layout)
    records.append(contentsOf: record)
  }

  package mutating func remove(_ id: some Collection<UInt8>, from table: String) {
    add(op: 1, id, to: table) { _ in }
  }

  package mutating func markNotPersisted(_ id: some Collection<UInt8>, in table: String) {
    add(op: 2, id, to: table) { _ in }
  }

  /// Adds a change of another block as it is.
  package mutating func add(_ entry: ChangeBlock.Entry, of block: ChangeBlock) {
    let (table, id) = (block.table(of: entry), block.id(of: entry))
    switch entry.change {
    case .put(let layout, let record):
      put(
        id,
        in: table,
        layout: layout,
        record: block.bytes[record],
        former: block.former(of: entry)
      )
    case .remove: remove(id, from: table)
    case .notPersisted: markNotPersisted(id, in: table)
    }
  }

  private mutating func add(
    op: UInt8,
    _ id: some Collection<UInt8>,
    to table: String,
    _ rest: (inout [UInt8]) -> Void
  ) {
    if tables.last?.name != table { tables.append(Table(name: table)) }
    let last = tables.count - 1
    let before = tables[last].list.count
    tables[last].list.append(op)
    tables[last].list.appendVarint(UInt64(id.count))
    tables[last].list.append(contentsOf: id)
    rest(&tables[last].list)
    tables[last].count += 1
    listSize += tables[last].list.count - before
    count += 1
  }

  /// Adds the changes of a block that follow those of this one.
  package mutating func append(_ other: ChangeBlockBuilder) {
    for table in other.tables {
      if tables.last?.name == table.name {
        tables[tables.count - 1].count += table.count
        tables[tables.count - 1].list += table.list
      } else {
        tables.append(table)
      }
    }
    records += other.records
    listSize += other.listSize
    count += other.count
    layouts.formUnion(other.layouts)
  }

  /// Returns the bytes of the block and empties the builder.
  package mutating func finish() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size + 16 * tables.count + 16)
    bytes.appendVarint(UInt64(tables.count))
    for table in tables {
      bytes.appendText(table.name)
      bytes.appendVarint(UInt64(table.count))
      bytes += table.list
    }
    bytes += records
    self = ChangeBlockBuilder()
    return bytes
  }
}
