import Foundation
import StrataNormalization
import Testing

struct EntityTableCodableTests {
  private struct Item: EntityType {
    typealias RawID = Int
    static let tableName: TableName = "items"

    let id: EntityID<Item>
    var name: String
  }

  private struct State: Codable, Equatable {
    var items = EntityTable<Item>()
    var count = 0
  }

  @Test func `a table is an array of its entities in the order of their IDs`() throws {
    var state = State()
    for id in [10, 2, 33, 1] { state.items.insert(Item(id: EntityID(id), name: "n\(id)")) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys

    let text = String(decoding: try encoder.encode(state), as: UTF8.self)

    let items = [1, 2, 10, 33].map { #"{"id":\#($0),"name":"n\#($0)"}"# }.joined(separator: ",")
    #expect(text == #"{"count":0,"items":[\#(items)]}"#)
    #expect(try JSONDecoder().decode(State.self, from: Data(text.utf8)) == state)
    #expect(try encoder.encode(State()) == Data(#"{"count":0,"items":[]}"#.utf8))
  }

  @Test func `two entities with one ID are refused, with the ID`() throws {
    let text = #"[{"id":7,"name":"a"},{"id":8,"name":"b"},{"id":7,"name":"c"}]"#
    let error = #expect(throws: DecodingError.self) {
      try JSONDecoder().decode(EntityTable<Item>.self, from: Data(text.utf8))
    }
    #expect("\(String(describing: error))".contains("two entities with the ID 7"))
  }
}
