import StrataJournal
import StrataRecords

/// A change block.
enum ChangesInput {
  static func check(_ bytes: [UInt8]) {
    guard let block = try? ChangeBlock(bytes) else { return }
    var end: Int?
    for entry in block.entries {
      require(block.tables.contains(block.table(of: entry)), "an entry has a table")
      require(block.id(of: entry).endIndex <= bytes.count, "an ID is inside the block")
      guard case .put(_, let record) = entry.change else { continue }
      require(end ?? record.lowerBound == record.lowerBound, "records follow one another")
      require(block.bytes[record].count == record.count, "a record is inside the block")
      end = record.upperBound
    }
    require(end ?? bytes.count == bytes.count, "the last record ends the block")
    _ = block.layouts
  }

  static func seeds() throws -> [[UInt8]] {
    var builder = ChangeBlockBuilder()
    var seeds = [builder.finish()]
    for (number, sample) in try Samples.records().enumerated() {
      let id = try EncodedID.bytes(of: number)
      builder.put(id, in: "books", layout: Int64(number % 3), record: sample.bytes)
    }
    builder.remove(try EncodedID.bytes(of: "a"), from: "authors")
    builder.markNotPersisted(try EncodedID.bytes(of: "b"), in: "authors")
    seeds.append(builder.finish())
    builder.put([1], in: "value:settings", layout: .max, record: [])
    seeds.append(builder.finish())
    return seeds
  }
}
