import StrataJournal
import StrataRecords
import TestSupport
import Testing

struct ChangeBlockTests {
  @Test
  func `what is built is read back`() throws {
    var builder = ChangeBlockBuilder()
    builder.put([1, 2], in: "books", layout: 7, record: [9, 9, 9])
    builder.remove([3], from: "books")
    builder.put([], in: "authors", layout: 300, record: [])
    builder.markNotPersisted([4], in: "authors")
    let former = EntityKey(table: "writers", id: [8, 8])
    builder.put([5], in: "authors", layout: 7, record: [6], former: former)
    #expect(builder.layouts == [7, 300])
    let block = try ChangeBlock(builder.finish())
    #expect(builder.isEmpty)

    #expect(block.tables == ["books", "authors"])
    #expect(block.entries.map { Array(block.id(of: $0)) } == [[1, 2], [3], [], [4], [5]])
    #expect(
      block.entries.map { block.table(of: $0) }
        == ["books", "books", "authors", "authors", "authors"]
    )
    #expect(block.entries.map { block.former(of: $0) } == [nil, nil, nil, nil, former])
    #expect(block.layouts == [7, 300])
    guard case .put(7, let record) = block.entries[0].change else {
      Issue.record("no put")
      return
    }
    #expect(Array(block.bytes[record]) == [9, 9, 9])
    #expect(block.entries[1].change == .remove)
    #expect(block.entries[3].change == .notPersisted)
  }

  @Test
  func `a block of too many tables and entries is refused`() throws {
    let most = ChangeBlock.mostEntries
    func varint(_ value: Int) -> [UInt8] {
      var bytes: [UInt8] = []
      bytes.appendVarint(UInt64(value))
      return bytes
    }
    func removals(_ count: Int) -> [UInt8] {
      [1, 1, 97] + varint(count) + Array(repeatElement([1, 0], count: count).joined())
    }
    #expect(try ChangeBlock(removals(most - 1)).entries.count == most - 1)
    #expect(throws: RecordError.tooManyEntries) { try ChangeBlock(removals(most)) }
    let tables = varint(most + 1) + [UInt8](repeating: 0, count: 2 * (most + 1))
    #expect(throws: RecordError.tooManyEntries) { try ChangeBlock(tables) }
  }

  @Test
  func `damaged bytes are refused or read, and never trap`() throws {
    let seed = randomSeed()
    var random = SeededGenerator(seed: seed)
    var builder = ChangeBlockBuilder()
    for number in 0..<40 {
      let id = [UInt8(number)]
      builder.put(
        id,
        in: number < 20 ? "a" : "b",
        layout: 1,
        record: [UInt8](repeating: 1, count: number),
        former: number % 5 == 0 ? EntityKey(table: "c", id: [UInt8(number)]) : nil
      )
    }
    let whole = builder.finish()
    for _ in 0..<20_000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = UInt8.random(
          in: 0...255,
          using: &random
        )
      }
      if Bool.random(using: &random) {
        bytes.removeLast(Int.random(in: 0...bytes.count, using: &random))
      }
      guard let block = try? ChangeBlock(bytes) else { continue }
      for entry in block.entries {
        _ = (block.id(of: entry), block.former(of: entry)?.id.count)
        if case .put(_, let record) = entry.change { _ = block.bytes[record].count }
      }
    }
  }
}
