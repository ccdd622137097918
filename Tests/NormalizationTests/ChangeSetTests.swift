import StrataNormalization
import TestSupport
import Testing

@Suite struct ChangeSetTests {
  let solaris = Book(id: 1, title: "Solaris")
  let eden = Book(id: 2, title: "Eden")

  func database(_ books: Book...) -> LibraryDatabase {
    var database = LibraryDatabase()
    database.books = EntityTable(books)
    return database
  }

  @Test func `equal databases differ in nothing`() {
    let changes = ChangeSet(from: database(solaris), to: database(solaris))
    #expect(changes.isEmpty)
    #expect(changes == ChangeSet())
  }

  @Test func `an added entity is put`() {
    let changes = ChangeSet(from: database(), to: database(solaris))
    #expect(changes.changes(of: Book.self) == [.put(solaris)])
  }

  @Test func `a replaced entity is put as it is then`() {
    let renamed = Book(id: 1, title: "Solyaris")
    let changes = ChangeSet(from: database(solaris), to: database(renamed))
    #expect(changes.changes(of: Book.self) == [.put(renamed)])
  }

  @Test func `an entity that is gone is removed`() {
    let changes = ChangeSet(from: database(solaris, eden), to: database(eden))
    #expect(changes.changes(of: Book.self) == [.remove(1)])
  }

  @Test func `an entity put and removed between is no change`() {
    var new = database()
    let old = new
    new.books.insert(solaris)
    new.books.remove(1)
    #expect(ChangeSet(from: old, to: new).isEmpty)
  }

  @Test func `two tables of one type have changes of their own`() {
    var new = LibraryDatabase()
    new.books.insert(solaris)
    new.archivedBooks.insert(eden)
    let changes = ChangeSet(from: LibraryDatabase(), to: new)
    #expect(changes.changes(of: Book.self) == [.put(solaris)])
    #expect(changes.changes(of: Book.self, in: "archived_books") == [.put(eden)])
  }

  @Test func `changes of a table that did not change are none`() {
    let changes = ChangeSet(from: database(), to: database(solaris))
    #expect(changes.changes(of: Author.self) == [])
  }

  @Test func `changes asked for with another type are none`() {
    let changes = ChangeSet(from: database(), to: database(solaris))
    #expect(changes.changes(of: Author.self, in: "books") == [])
  }

  @Test func `tables are listed in the order of their names`() {
    var new = database(solaris)
    new.authors.insert(Author(id: "lem"))
    new.archivedBooks.insert(eden)
    let changes = ChangeSet(from: LibraryDatabase(), to: new)
    #expect(changes.tables.map(\.table) == ["archived_books", "authors", "books"])
  }

  @Test func `a change set prints what happened in each table`() {
    var new = database(eden)
    new.authors.insert(Author(id: "lem"))
    let changes = ChangeSet(from: database(solaris), to: new)
    #expect("\(changes)" == "authors: 1 put; books: 1 put, 1 removed")
  }

  @Test func `an empty change set prints as such`() {
    #expect("\(ChangeSet())" == "no changes")
  }

  @Test func `count is the number of changed entities`() {
    #expect(ChangeSet(from: database(solaris), to: database(eden)).count == 2)
  }

  @Test func `changes of other tables than the schema has are passed over`() {
    var labels = LabelDatabase()
    labels.labels.insert(Label(id: "a", text: "old"))
    let changes = ChangeSet(from: LabelDatabase(), to: labels)
    #expect(database(solaris).applying(changes) == database(solaris))
  }

  @Test func `of two merged changes of an entity the later stays`() {
    let put = ChangeSet(from: database(), to: database(solaris))
    let remove = ChangeSet(from: database(solaris), to: database())
    #expect(put.merging(remove).changes(of: Book.self) == [.remove(1)])
  }

  @Test func `merging keeps what the later one does not touch`() {
    let first = ChangeSet(from: database(), to: database(solaris))
    let second = ChangeSet(from: database(), to: database(eden))
    #expect(first.merging(second) == ChangeSet(from: database(), to: database(solaris, eden)))
  }

  @Test func `an update through the verbs is kept though == sees no difference`() throws {
    var old = LabelDatabase()
    old.labels.insert(Label(id: "a", text: "old"))
    var new = old
    try new.labels.update("a") { $0.text = "new" }
    let applied = old.applying(ChangeSet(from: old, to: new))
    #expect(applied.labels["a"]?.text == "new")
  }

  @Test func `an insert over an entity is kept though == sees no difference`() {
    var old = LabelDatabase()
    old.labels.insert(Label(id: "a", text: "old"))
    var new = old
    new.labels.insert(Label(id: "a", text: "new"))
    let applied = old.applying(ChangeSet(from: old, to: new))
    #expect(applied.labels["a"]?.text == "new")
  }

  @Test func `a field that does not equal itself arrives`() throws {
    let applied = database(solaris).applying(
      ChangeSet(from: database(solaris), to: database(Book(id: 1, rating: .nan)))
    )
    #expect(applied.books[1]?.rating?.isNaN == true)
  }

  @Test func `an untouched field that does not equal itself is no change`() {
    let old = database(Book(id: 1, rating: .nan))
    var new = old
    new.books.insert(eden)
    #expect(ChangeSet(from: old, to: new).changes(of: Book.self) == [.put(eden)])
  }
}
