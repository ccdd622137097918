package import StrataRecords
package import StrataStorage

/// The records of one entity table, in the order of their encoded IDs, any number of times.
package struct EntityRecords {
  package let table: String
  /// The layouts of the records by their numbers.
  package let layouts: [Int64: Layout]
  /// Starts from the first entity; each call of the result gives the next one.
  package let start: () throws -> () throws -> StoredEntity?

  package init(
    _ table: String,
    layouts: [Int64: Layout],
    _ start: @escaping () throws -> () throws -> StoredEntity?
  ) {
    self.table = table
    self.layouts = layouts
    self.start = start
  }

  /// The layouts, the oldest first.
  var ordered: [Layout] { layouts.sorted { $0.key < $1.key }.map(\.value) }

  func layout(_ number: Int64) throws -> Layout {
    guard let layout = layouts[number] else {
      throw CorruptionError("a record of \(table) names layout \(number), which it does not have")
    }
    return layout
  }
}
