package import Foundation
package import Strata

/// The commits in order.
extension Golden {
  /// A commit with its name; its place in the list is its revision.
  package struct Commit<Database: DatabaseType>: Sendable {
    package let name: String
    package let edit: @Sendable (inout Database) -> Void
  }

  /// Revisions 1 to 3, by the first build, on a file whose snapshot 0 is ``firstInitial``.
  package static let first: [Commit<First>] = [
    Commit(name: "write notes") { db in
      for number in 1...5 {
        db.notes.insert(FirstNote(id: EntityID("note-\(number)"), text: "Note \(number)"))
      }
    },
    Commit(name: "") { $0.notes.remove("note-2") },
    Commit(name: "rename Ada") { $0.authors.insert(Author(id: "ada", name: "Ada L.")) },
  ]

  package static var firstInitial: First {
    var db = First()
    db.authors = [Author(id: "ada", name: "Ada"), Author(id: "bea", name: "Bea")]
    return db
  }

  /// The initial state of the second build's new tables: revision 4.
  package static var secondInitial: Second {
    var db = Second()
    db.books = [Book(id: -1, title: "Before"), Book(id: 0), Book(id: 1, title: "After")]
    return db
  }

  /// Revisions 5 to 12, by the second build; 10 and 11 were merged while the disk was full.
  package static let second: [Commit<Second>] = [
    Commit(name: "fill the zoo") { fillFixtures(&$0) },
    Commit(name: "tag notes") { db in
      db.notes.insert(SecondNote(id: "note-1", text: "Note 1", tags: ["a", "ü"], stars: 5))
      db.notes.insert(SecondNote(id: "note-6", text: "Note 6", tags: nil, stars: 0))
    },
    Commit(name: "moods") { $0.moods = [Mood(id: "a", text: "calm"), Mood(id: "b", text: "gay")] },
    Commit(name: "unspeakable") { db in
      db.moods.insert(Mood(id: "a", text: "unspeakable"))
      db.moods.remove("b")
    },
    Commit(name: "refused") { $0.books.insert(Book(id: 2, title: "Two", rating: 2.5)) },
    Commit(name: "merged 1") { $0.books.insert(Book(id: 3, title: "Three")) },
    Commit(name: "merged 2") { $0.books.remove(0) },
    Commit(name: "last") { db in
      db.loans.insert(Loan(id: EntityID(uuid(7)), book: 2))
      db.trees.removeAll()
    },
  ]

  /// The revisions that one merged delta covers.
  package static let merged: ClosedRange<Int64> = 10...11

  /// The database as restored at a revision from 4 on.
  package static func second(at revision: Int64) -> Second {
    var old = firstInitial
    for commit in first { commit.edit(&old) }
    var db = secondInitial
    db.authors = old.authors
    for note in old.notes {
      db.notes.insert(
        SecondNote(id: EntityID(note.id.raw), text: note.text, tags: nil, stars: 3)
      )
    }
    for (index, commit) in second.enumerated() where Int64(index) + 5 <= revision {
      commit.edit(&db)
    }
    // A record whose `encode(to:)` threw stays as it was before.
    if revision >= 8 { db.moods = [Mood(id: "a", text: "calm")] }
    return db
  }

  /// The database as restored at a revision up to 3.
  package static func first(at revision: Int64) -> First {
    var db = firstInitial
    for commit in first.prefix(Int(revision)) { commit.edit(&db) }
    return db
  }

  package static func uuid(_ number: UInt8) -> UUID {
    UUID(uuid: (number, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, number))
  }

  private static func fillFixtures(_ db: inout Second) {
    let pair = CodableFixtures.Pair(left: "l", right: 2)
    db.scalars = [Specimen(id: "low", value: .low), Specimen(id: "high", value: .high)]
    db.kinds = [Specimen(id: "all", value: kinds)]
    db.optionals = [
      Specimen(id: "none", value: CodableFixtures.Optionals(list: [])),
      Specimen(
        id: "some",
        value: CodableFixtures.Optionals(
          text: "a",
          number: 1,
          date: Date(timeIntervalSinceReferenceDate: 0.5),
          nested: pair,
          doubled: 5,
          list: [1, nil, 3],
          lists: [["a"], nil, []]
        )
      ),
    ]
    db.dictionaries = [
      Specimen(
        id: "all",
        value: CodableFixtures.Dictionaries(
          byText: ["a": 1, "": 2, "é": 3],
          byNumber: [1: "one", -5: "minus five"],
          byPair: [pair: 0.5],
          byUUID: [uuid(1): ["x"], uuid(2): []],
          nested: ["a": ["b": pair]]
        )
      )
    ]
    db.enums = [
      Specimen(
        id: "all",
        value: CodableFixtures.Enums(
          shape: .group([.point, .labeled("x", at: pair)], main: .circle(radius: 1)),
          shapes: [.circle(radius: 2), .point],
          grade: .high,
          level: .two,
          byGrade: [.low: 1]
        )
      )
    ]
    db.empties = [Specimen(id: "all", value: CodableFixtures.Empties())]
    let leaf = CodableFixtures.Tree(value: 3, children: [])
    let branch = CodableFixtures.Tree(value: 2, children: [leaf])
    db.trees = [
      Specimen(id: "all", value: CodableFixtures.Tree(value: 1, children: [leaf, branch]))
    ]
    db.unruly = [
      Specimen(
        id: "all",
        value: CodableFixtures.Unruly(
          first: 1,
          second: ["a", "b"],
          third: pair,
          more: ["x": 1, "y": 2]
        )
      )
    ]
    db.nulls = [
      Specimen(id: "all", value: CodableFixtures.Nulls(text: nil, grid: [[1, 0], [], [0]]))
    ]
  }

  private static var kinds: CodableFixtures.Kinds {
    guard let url = URL(string: "https://example.com/a%20b?c=d#e"),
      let decimal = Decimal(string: "-12345678901234567890.0123456789")
    else { fatalError("The samples are no URL and no decimal any more.") }
    return CodableFixtures.Kinds(
      date: Date(timeIntervalSinceReferenceDate: 700_000_000.123_456_7),
      data: Data((0...255).map { UInt8($0) }),
      uuid: uuid(3),
      url: url,
      decimal: decimal
    )
  }
}
