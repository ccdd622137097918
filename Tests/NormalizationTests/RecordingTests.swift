import StrataNormalization
import TestSupport
import Testing

@Suite struct RecordingTests {
  @Test func `a table nobody tracks keeps no notes`() {
    var table = EntityTable<Book>()
    for id in 0..<100 { table.insert(Book(id: Book.ID(id))) }
    #expect(table.touchedCount == nil)
  }

  @Test func `a sealed table notes each touched ID once`() throws {
    var table = EntityTable((0..<100).map { Book(id: Book.ID($0)) })
    table.seal()
    table.insert(Book(id: 1))
    try table.update(1) { $0.title = "Solaris" }
    table.remove(2)
    #expect(table.touchedCount == 2)
  }

  @Test func `an update that throws touches nothing`() {
    var table: EntityTable = [Book(id: 1)]
    table.seal()
    #expect(throws: EntityError.self) { try table.update(1) { $0 = Book(id: 2) } }
    #expect(table.touchedCount == 0)
  }

  @Test func `removeAll touches everything that was there`() {
    var table: EntityTable = [Book(id: 1), Book(id: 2)]
    table.seal()
    table.removeAll()
    #expect(table.touchedCount == 2)
  }

  @Test func `sealing forgets what was touched`() {
    var table = EntityTable<Book>()
    table.seal()
    table.insert(Book(id: 1))
    table.seal()
    #expect(table.touchedCount == 0)
  }

  @Test func `equality ignores the notes`() {
    var sealed: EntityTable = [Book(id: 1)]
    sealed.seal()
    sealed.insert(Book(id: 1))
    #expect(sealed == [Book(id: 1)])
  }

  @Test func `a change set of a sealed table compares no entity`() throws {
    let comparisons = Recorder<Int>()
    try Counted.$didCompare.withValue({ comparisons.record(1) }) {
      var old = CountedDatabase()
      old.counted.insert(contentsOf: (0..<100).map { Counted(id: Counted.ID("\($0)")) })
      old.seal(CountedDatabase.schema)
      var new = old
      try new.counted.update("7") { $0.text = "seven" }
      #expect(ChangeSet(from: old, to: new).count == 1)
    }
    #expect(comparisons.elements == [])
  }

  @Test func `a change set of an assigned table compares each entity once`() {
    let comparisons = Recorder<Int>()
    Counted.$didCompare.withValue({ comparisons.record(1) }) {
      let entities = (0..<100).map { Counted(id: Counted.ID("\($0)")) }
      var old = CountedDatabase()
      old.counted = EntityTable(entities)
      old.seal(CountedDatabase.schema)
      var new = old
      new.counted = EntityTable(entities)
      #expect(ChangeSet(from: old, to: new).isEmpty)
    }
    #expect(comparisons.elements.count == 100)
  }
}
