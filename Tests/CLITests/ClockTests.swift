import Foundation
import Strata
import StrataBase
import StrataStorage
import TestSupport
import Testing

/// What the command says of a store whose last commits have times ahead of the clock.
struct ClockTests {
  let store: TestStore

  /// Makes three commits: today, in 2099, and today again.
  init() async throws {
    store = try TestStore()
    let now = Lock(Date())
    let configuration = PersistenceConfiguration(now: { now.withLock { $0 } })
    try await store.run([], LibraryState(), configuration) { library, persistence in
      for (number, time) in [Date(), Self.future, Date()].enumerated() {
        now.withLock { $0 = time }
        library.commit { $0.db.books.insert(Book(id: EntityID(number + 1))) }
        try await persistence.flush()
      }
    }
  }

  private static let future = Date(timeIntervalSince1970: 4_070_908_800)
  private static let sentence = "imes are held at 2099-01-01 00:00:00.000Z since revision 2"

  @Test
  func `doctor has a note with what to do, and no problem`() async throws {
    let doctor = try await Program.strata("doctor", store.path)
    let words = doctor.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(doctor.status == 0)
    #expect(words.contains("note times t\(Self.sentence) → The clock was ahead"), "\(doctor)")
  }

  @Test
  func `info says it, for people and for programs`() async throws {
    let info = try await Program.strata("info", store.path)
    #expect(info.output.contains("t\(Self.sentence)"), "\(info)")
    let json = try await Program.strata("info", store.path, "--json")
    #expect(try member("heldTimes", "since", of: json.output) == "2")
  }

  @Test(
    arguments: [
      ["list", "STORE", "books", "--at", "@now"], ["tables", "STORE", "--at", "@yesterday"],
      ["diff", "STORE", "@-5m..@now"], ["log", "STORE", "--since", "@-5m"],
      ["query", "STORE", "SELECT count(*) FROM books", "--at", "@2026-01-01"],
    ]
  )
  func `a question by time says it once, on standard error`(arguments: [String]) async throws {
    let arguments = arguments.map { $0 == "STORE" ? store.path : $0 }
    let asked = try await Program.run(try Program.strataPath(), arguments)
    let notices = asked.errors.split(separator: "\n").filter { $0.contains(Self.sentence) }
    #expect(notices == ["strata: T\(Self.sentence)."], "\(asked)")
  }

  @Test
  func `a store that is pulled as of a time says it`() async throws {
    let (folder, copy) = (store.directory.path("archive"), store.directory.path("copy.strata"))
    #expect(try await Program.strata("push", store.path, "--to", folder).status == 0)
    let pulled = try await Program.strata("pull", copy, "--from", folder, "--at", "@now")
    #expect(pulled.errors == "strata: T\(Self.sentence).\n", "\(pulled)")
    #expect(pulled.output.contains("at revision 1."), "\(pulled)")
    let other = store.directory.path("other.strata")
    let all = try await Program.strata("pull", other, "--from", folder)
    #expect(all.errors.isEmpty && all.status == 0, "\(all)")
  }

  @Test
  func `a question by revision does not`() async throws {
    let asked = try await Program.strata("list", store.path, "books", "--at", "HEAD")
    #expect(asked.errors.isEmpty, "\(asked)")
    #expect(asked.status == 0)
  }
}
