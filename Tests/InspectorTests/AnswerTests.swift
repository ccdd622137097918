#if Inspector
  import Foundation
  import Strata
  import StrataInspector
  import StrataInspection
  import StrataJournal
  import StrataMaintaining
  import StrataStorage
  import TestSupport
  import Testing

  /// What the page asks is answered from the file.
  @Suite struct AnswerTests {
    private func withLibrary<R>(
      _ more: (LibraryStore) -> Void = { _ in },
      redacting fields: [StoreBundle.Field] = [],
      _ body: (Page) async throws -> R
    ) async throws -> R {
      let directory = try TemporaryDirectory()
      let path = directory.path("app.strata")
      try await closedLibrary(at: path, more)
      let inspector = try await StateInspector.serve(path, redacting: fields)
      return try await withPage(inspector) { page in try await body(page) }
    }

    @Test func `the log has the commits by pages, the last first`() async throws {
      try await withLibrary { page in
        let first = try await page.ask("log", ["limit": "3"])
        #expect(try first.rows.map { $0["revision"] as? Int } == [4, 3, 2])
        #expect(try first.rows.map { $0["commit"] as? String } == ["drop", "rate", "import"])
        #expect(try first.rows[1]["place"] as? String == "Library/Ratings.swift:41 rate(_:)")
        #expect(try first.json["next"] as? Int == 2)
        let changes = try #require(try first.rows[2]["changes"] as? [[String: Any]])
        #expect(changes.map { $0["table"] as? String } == ["books"])
        #expect(changes[0]["put"] as? Int == 5)
        #expect(changes[0]["ids"] as? [String] == ["1", "2", "3", "4"])
        let second = try await page.ask("log", ["limit": "3", "before": "2"])
        #expect(try second.rows.map { $0["revision"] as? Int } == [1])
        #expect(try second.json["next"] == nil)
      }
    }

    @Test func `the log is filtered by name, table, entity and user`() async throws {
      try await withLibrary { page in
        for (filter, revisions) in [
          (["name": "RAT"], [3]), (["table": "books"], [4, 3, 2]),
          (["table": "books", "id": "2"], [3, 2]), (["user": "wilma"], [3]),
          (["table": "authors"], [1]), (["name": "nothing"], []),
          (["id": "2"], [3, 2]), (["id": "ada"], [1]), (["id": "2", "name": "rate"], [3]),
          (["id": "nothing"], []),
        ] {
          let answer = try await page.ask("log", filter)
          #expect(try answer.rows.map { $0["revision"] as? Int } == revisions, "\(filter)")
          #expect(try answer.json["next"] == nil)
        }
        #expect(try await page.ask("log", ["table": "nothing"]).status == 404)
      }
    }

    @Test func `an entity whose ID is empty is answered as any other`() async throws {
      let addNameless = { (store: LibraryStore) in
        store.commit("nameless") { $0.db.authors.insert(Author(id: "", name: "Nobody")) }
      }
      try await withLibrary(addNameless) { page in
        let question = ["table": "authors", "id": ""]
        let entity = try await page.ask("entity", question)
        #expect(try entity.rows.map { $0["value"] as? String }.contains("Nobody"))
        #expect(try await page.ask("history", question).json["versions"] as? Int == 1)
        #expect(try await page.ask("blame", question).rows.isEmpty == false)
        #expect(try await page.ask("references", question).status == 200)
        #expect(try await page.ask("entity", ["table": "authors"]).status == 400)
      }
    }

    @Test func `a commit has its diff, field by field`() async throws {
      try await withLibrary { page in
        let answer = try await page.ask("commit", ["rev": "3"])
        let row = try #require(try answer.rows.first)
        #expect(try answer.rows.count == 1)
        #expect(row["table"] as? String == "books")
        #expect(row["id"] as? Int == 2)
        #expect(row["change"] as? String == "changed")
        #expect(row["field"] as? String == "rating")
        #expect(row["from"] as? Double == 3)
        #expect(row["to"] as? Double == 5)
        let commit = try #require(try answer.json["commit"] as? [String: Any])
        #expect(commit["name"] as? String == "rate")
        let contexts = commit["contexts"] as? [[String: Any]]
        #expect(contexts?.first?["user"] as? String == "wilma")
        #expect(try await page.ask("commit", ["rev": "9"]).status == 404)
        #expect(try await page.ask("commit", ["rev": "soon"]).status == 400)
      }
    }

    @Test func `tables, pages of rows, conditions and sorting`() async throws {
      try await withLibrary { page in
        let tables = try await page.ask("tables", ["at": "2"]).rows
        let books = try #require(tables.first { $0["table"] as? String == "books" })
        #expect(books["entities"] as? Int == 5)
        let first = try await page.ask("rows", ["table": "books", "limit": "3"])
        #expect(try first.rows.map { $0["id"] as? Int } == [1, 2, 3])
        #expect(try first.json["more"] as? Bool == true)
        let second = try await page.ask("rows", ["table": "books", "limit": "3", "offset": "3"])
        #expect(try second.rows.map { $0["id"] as? Int } == [4])
        #expect(try second.json["more"] as? Bool == false)
        let sorted = try await page.ask("rows", ["table": "books", "sort": "-rating,-id"])
        #expect(try sorted.rows.map { $0["id"] as? Int } == [2, 4, 3, 1])
        let chosen = try await page.ask(
          "rows",
          ["table": "books", "where": "rating > 4", "columns": "id,title"]
        )
        #expect(try chosen.rows.map { $0.keys.sorted() } == [["id", "title"]])
        let past = try await page.ask("rows", ["table": "books", "at": "2"])
        #expect(try past.rows.count == 5)
        let wrong = try await page.ask("rows", ["table": "books", "where": "; DROP TABLE books"])
        #expect(wrong.status == 400)
      }
    }

    @Test func `an entity has fields, versions, blame and references both ways`() async throws {
      try await withLibrary { page in
        let book = ["table": "books", "id": "2"]
        let fields = try await page.ask("entity", book).rows
        #expect(fields.map { $0["field"] as? String } == ["id", "title", "author", "rating"])
        #expect(fields.last?["value"] as? Double == 5)
        let blame = try await page.ask("blame", book).rows
        let rating = try #require(blame.first { $0["field"] as? String == "rating" })
        #expect(rating["revision"] as? Int == 3)
        #expect(rating["place"] as? String == "Library/Ratings.swift:41 rate(_:)")
        let history = try await page.ask("history", book)
        #expect(try history.json["versions"] as? Int == 2)
        let to = try await page.ask("references", book).rows
        #expect(to.map { $0["id"] as? String } == ["ada"])
        let from = try await page.ask("references", ["table": "authors", "id": "ada"]).rows
        #expect(from.map { $0["direction"] as? String } == ["from", "from", "from", "from"])
        #expect(from.map { $0["id"] as? Int } == [1, 2, 3, 4])
        #expect(try await page.ask("entity", ["table": "books", "id": "5"]).status == 404)
      }
    }

    @Test func `versions are read by pages, and those of one field`() async throws {
      let page = { (store: LibraryStore) in
        for number in 1...250 {
          store.commit("count") { state in
            _ = try? state.db.books.updateIfExists(2) {
              $0.rating = Double(number)
              if number.isMultiple(of: 50) { $0.title = "Edition \(number)" }
            }
          }
        }
      }
      try await withLibrary(page) { page in
        func versions(_ parameters: [String: String]) async throws -> [[Int]] {
          let book = ["table": "books", "id": "2"]
          let answer = try await page.ask("history", book.merging(parameters) { _, new in new })
          let revisions = try answer.rows.compactMap { $0["revision"] as? Int }
          return [
            [revisions.first ?? 0, revisions.last ?? 0],
            [try answer.json["earlier"] as? Int ?? -1, try answer.json["later"] as? Int ?? -1],
          ]
        }
        // Revision 2 inserts it and 3 rates it; 5 to 254 are the counts.
        #expect(try await versions([:]) == [[155, 254], [152, 0]])
        #expect(try await versions(["before": "155"]) == [[55, 154], [52, 100]])
        #expect(try await versions(["before": "55"]) == [[2, 54], [0, 200]])
        #expect(try await versions(["before": "2"]) == [[0, 0], [0, 252]])
        #expect(try await versions(["after": "54"]) == [[55, 154], [52, 100]])
        #expect(try await versions(["after": "254"]) == [[0, 0], [252, 0]])
        #expect(try await versions(["around": "100", "limit": "10"]) == [[96, 105], [93, 149]])
        #expect(try await versions(["around": "1", "limit": "10"]) == [[2, 12], [0, 242]])
        #expect(try await versions(["around": "254", "limit": "10"]) == [[245, 254], [242, 0]])
        #expect(try await versions(["field": "title"]) == [[2, 254], [0, 0]])
        let title = try await page.ask(
          "history",
          ["table": "books", "id": "2", "field": "title"]
        )
        #expect(try title.json["versions"] as? Int == 6)
      }
    }

    @Test func `a field that was cleared has the commit that cleared it`() async throws {
      let page = { (store: LibraryStore) in
        store.commit(
          "unrate",
          context: CommitContext(user: "wilma"),
          fileID: "Library/Ratings.swift",
          function: "clear()",
          line: 50
        ) { state in
          _ = try? state.db.books.updateIfExists(2) { $0.rating = nil }
          _ = try? state.db.books.updateIfExists(3) { $0.rating = nil }
        }
        store.commit("rate again") { state in
          _ = try? state.db.books.updateIfExists(3) { $0.rating = 1 }
        }
      }
      try await withLibrary(page) { page in
        let blame = try await page.ask("blame", ["table": "books", "id": "2"]).rows
        #expect(blame.map { $0["field"] as? String } == ["title", "author", "rating"])
        let cleared = try #require(blame.last)
        #expect(cleared["value"] == nil)
        #expect(cleared["revision"] as? Int == 5)
        #expect(cleared["place"] as? String == "Library/Ratings.swift:50 clear()")
        let again = try await page.ask("blame", ["table": "books", "id": "3"]).rows
        #expect(again.map { $0["revision"] as? Int } == [2, 2, 6])
        let before = try await page.ask("blame", ["table": "books", "id": "2", "at": "4"]).rows
        #expect(before.last?["value"] as? Double == 5)
        let commit = try await page.ask("commit", ["rev": "5"]).rows
        #expect(commit.map { $0["from"] as? Double } == [5, 3])
        #expect(commit.allSatisfy { $0["to"] == nil })
      }
      try await withLibrary(page, redacting: [StoreBundle.Field("books", "rating")]) { page in
        let blame = try await page.ask("blame", ["table": "books", "id": "2"])
        #expect(try blame.rows.last?["value"] == nil)
        #expect(!blame.body.contains("wilma"))
      }
    }

    @Test func `one large commit hides the tables of no other one`() async throws {
      let page = { (store: LibraryStore) in
        store.commit("large") { state in
          let name = String(repeating: "x", count: 600_000)
          for id in ["dora", "emil"] {
            state.db.authors.insert(Author(id: EntityID(id), name: name))
          }
        }
        store.commit("small") { $0.db.authors.insert(Author(id: "fay")) }
      }
      try await withLibrary(page) { page in
        let rows = try await page.ask("log").rows
        #expect(
          rows.map { $0["changes"] is [[String: Any]] } == [true, false, true, true, true, true]
        )
        let small = try #require(rows[0]["changes"] as? [[String: Any]])
        #expect(small[0]["ids"] as? [String] == ["fay"])
        let drop = try #require(rows[2]["changes"] as? [[String: Any]])
        #expect(drop[0]["removed"] as? Int == 1)
      }
    }

    @Test func `a long text is cut between two characters`() async throws {
      let page = { (store: LibraryStore) in
        let name = "x" + String(repeating: "👩‍👩‍👧", count: 2_000)
        store.commit("long") { $0.db.authors.insert(Author(id: "long", name: name)) }
      }
      try await withLibrary(page) { page in
        let rows = try await page.ask("entity", ["table": "authors", "id": "long"]).rows
        let cut = try #require(rows.last?["value"] as? [String: Any])
        let text = try #require(cut["$cut"] as? String)
        #expect(text.hasPrefix("x👩‍👩‍👧"))
        #expect(!text.contains("\u{FFFD}"))
      }
    }

    @Test func `columns of a statement keep their order and their names`() async throws {
      try await withLibrary { page in
        let answer = try await page.ask("query", ["sql": "SELECT 2 AS b, 1 AS '10', 3 AS b"])
        #expect(try answer.json["columns"] as? [String] == ["b", "10", "b:2"])
        #expect(try answer.rows.first?["b:2"] as? Int == 3)
      }
    }

    @Test func `two revisions, a text, a statement and the names of commits`() async throws {
      try await withLibrary { page in
        let diff = try await page.ask("diff", ["a": "2", "b": "HEAD"])
        #expect(try diff.rows.compactMap { $0["change"] as? String }.contains("removed"))
        #expect(try diff.json["from"] as? Int == 2)
        let hits = try await page.ask("find", ["q": "volume 3"]).rows
        #expect(hits.map { $0["field"] as? String } == ["title"])
        let old = try await page.ask("find", ["q": "volume 5", "all": "1"]).rows
        #expect(old.map { $0["revision"] as? Int } == [2])
        let sql = try await page.ask(
          "query",
          ["sql": "SELECT count(*) AS n FROM books", "at": "2"]
        )
        #expect(try sql.rows.first?["n"] as? Int == 5)
        let write = try await page.ask("query", ["sql": "DELETE FROM books"])
        #expect(write.status == 400)
        let who = try await page.ask("who").rows
        #expect(
          who.map { $0["commit"] as? String }.prefix(2) == ["import", "found"]
        )
        #expect(who.first?["changes"] as? Int == 5)
        #expect(who.compactMap { $0["user"] as? String } == ["wilma"])
      }
    }

    @Test func `the strip counts the commits by their times`() async throws {
      try await withLibrary { page in
        let strip = try await page.ask("strip")
        #expect(try strip.json["commits"] as? Int == 4)
        #expect(try strip.rows.compactMap { $0["commits"] as? Int }.reduce(0, +) == 4)
        #expect(try strip.rows.last?["revision"] as? Int == 4)
      }
    }

    @Test func `the CSV has the rows of the JSON`() async throws {
      try await withLibrary { page in
        let csv = try await page.get("api/rows.csv?table=books&columns=id,title&limit=2")
        #expect(csv.body == "id,title\n1,Volume 1\n2,Volume 2\n")
        #expect(csv.headers["content-type"] == "text/csv; charset=utf-8")
        #expect(csv.headers["content-disposition"] == "attachment; filename=\"rows.csv\"")
        for subject in [
          "store", "strip", "log", "commit?rev=3", "tables", "rows?table=books",
          "entity?table=books&id=2", "history?table=books&id=2", "blame?table=books&id=2",
          "references?table=books&id=2", "diff?a=1&b=4", "find?q=volume", "query?sql=SELECT%201",
          "who",
        ] {
          let parts = subject.split(separator: "?", maxSplits: 1)
          let query = parts.count > 1 ? "?\(parts[1])" : ""
          let rows = try await page.get("api/\(parts[0]).json\(query)").rows
          let lines = try await page.get("api/\(parts[0]).csv\(query)").body
            .split(separator: "\n")
          #expect(lines.count == rows.count + 1, "\(subject)")
        }
      }
    }

    @Test func `what a store holds stays text, however long or hostile it is`() async throws {
      let hostile = "<img src=x onerror=alert(1)>\u{202E}\u{0}\u{1B}[31m\"'</script>"
      let long = String(repeating: "x", count: 1_000_000)
      let page = { (store: LibraryStore) in
        store.commit(hostile) { state in
          state.db.authors.insert(Author(id: EntityID(hostile), name: hostile))
          state.db.authors.insert(Author(id: "long", name: long))
        }
      }
      try await withLibrary(page) { page in
        let entity = try await page.ask("entity", ["table": "authors", "id": hostile])
        #expect(entity.headers["content-type"] == "application/json; charset=utf-8")
        #expect(try entity.rows.map { $0["value"] as? String } == [hostile, hostile])
        let log = try await page.ask("log", ["limit": "1"])
        #expect(try log.rows.first?["commit"] as? String == hostile)
        for (subject, parameters) in [
          ("entity", ["table": "authors", "id": "long"]), ("rows", ["table": "authors"]),
          ("commit", ["rev": "5"]), ("blame", ["table": "authors", "id": "long"]),
          ("history", ["table": "authors", "id": "long"]), ("find", ["q": "xxx"]),
          ("query", ["sql": "SELECT * FROM authors"]),
        ] {
          let answer = try await page.ask(subject, parameters)
          #expect(answer.status == 200, "\(subject)")
          #expect(answer.body.utf8.count < 40_000, "\(subject)")
          #expect(answer.body.contains("\"$cut\":"), "\(subject)")
          #expect(answer.body.contains("\"$bytes\":1000000") || subject == "find", "\(subject)")
          #expect(try answer.json["cut"] as? Bool == true)
        }
      }
    }

    @Test func `no answer has more than a page`() async throws {
      let page = { (store: LibraryStore) in
        store.commit("many") { state in
          state.db.books.insert(
            contentsOf: (1_000..<2_000).map { number in
              Book(id: EntityID(number), title: String(repeating: "t", count: 8_000))
            }
          )
        }
        for _ in 0..<300 { store.commit("small") { $0.db.authors.insert(Author(id: "ada")) } }
      }
      try await withLibrary(page) { page in
        for (subject, parameters, most) in [
          ("log", ["limit": "100000"], 200), ("rows", ["table": "books", "limit": "100000"], 200),
          ("commit", ["rev": "5", "limit": "100000"], 2_000),
          ("diff", ["a": "1", "limit": "100000"], 2_000),
          ("find", ["q": "t", "limit": "100000"], 200),
          ("query", ["sql": "SELECT * FROM books", "limit": "100000"], 500),
        ] {
          let answer = try await page.ask(subject, parameters)
          #expect(answer.status == 200, "\(subject)")
          #expect(try answer.rows.count <= most, "\(subject)")
          #expect(answer.body.utf8.count < 2_200_000, "\(subject)")
        }
        // A commit with more than can be listed is not read for the log.
        let log = try await page.ask("log", ["before": "6", "limit": "2"])
        #expect(try log.rows.first?["entities"] as? Int == 1_000)
      }
    }

    @Test func `replaced values are in no answer, and are not found out`() async throws {
      let secret = "Volume"
      let fields = [StoreBundle.Field("books", "title")]
      try await withLibrary(redacting: fields) { page in
        for (subject, parameters) in [
          ("store", [:]), ("log", [:]), ("commit", ["rev": "2"]), ("tables", [:]),
          ("rows", ["table": "books"]), ("entity", ["table": "books", "id": "2"]),
          ("history", ["table": "books", "id": "2"]), ("blame", ["table": "books", "id": "2"]),
          ("diff", ["a": "1", "b": "2"]), ("find", ["q": "olum"]),
          ("find", ["q": "olum", "all": "1"]), ("who", [:]), ("strip", [:]),
          ("references", ["table": "books", "id": "2"]),
        ] {
          let answer = try await page.ask(subject, parameters)
          #expect(answer.status == 200, "\(subject)")
          #expect(!answer.body.contains(secret), "\(subject)")
          #expect(!answer.body.contains("wilma"), "\(subject)")
        }
        #expect(try await page.ask("find", ["q": "olum"]).rows.isEmpty)
        let title = try await page.ask("entity", ["table": "books", "id": "2"]).rows[1]["value"]
        // Neither what was replaced nor what is in its place is found, letter by letter.
        for letter in Set("Vm" + (try #require(title as? String))) where letter != " " {
          for all in [[:], ["all": "1"]] {
            let asked = ["q": String(letter), "limit": "1"].merging(all) { a, _ in a }
            let found = try await page.ask("find", asked)
            #expect(try found.rows.allSatisfy { $0["field"] as? String != "title" }, "\(letter)")
            if "Vm".contains(letter) {
              #expect(try found.rows.isEmpty && found.json["more"] as? Bool != true, "\(letter)")
            }
          }
        }
        let rows = try await page.ask("rows", ["table": "books"]).rows
        #expect((title as? String)?.count == "Volume 2".count)
        #expect(rows.contains { $0["title"] as? String == title as? String })
        for parameters in [
          ["sort": "title"], ["where": "title LIKE 'V%'"], ["columns": "record"],
        ] {
          let refused = try await page.ask(
            "rows",
            parameters.merging(["table": "books"]) { a, _ in a }
          )
          #expect(refused.status == 400, "\(parameters)")
        }
        #expect(try await page.ask("query", ["sql": "SELECT * FROM books"]).status == 400)
        #expect(try await page.ask("log", ["user": "wilma"]).status == 400)
      }
    }

    @Test func `a field that cannot be redacted is refused before anything is served`() async throws
    {
      let directory = try TemporaryDirectory()
      let path = directory.path("app.strata")
      try await closedLibrary(at: path)
      for field in [StoreBundle.Field("books", "id"), .init("books", "author"), .init("no", "x")] {
        await #expect(throws: PersistenceError.self, "\(field)") {
          _ = try await StateInspector.serve(path, redacting: [field])
        }
      }
    }
  }
#endif
