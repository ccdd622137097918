import Foundation
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataRecords
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// Snapshots of what the same session has appended.
struct RecentDeltasTests {
  private struct Stop: Error {}

  private struct User: Codable {
    let id: String
    let text: String
  }

  private let directory: TemporaryDirectory
  private let path: StorePath

  init() throws {
    directory = try TemporaryDirectory()
    let file = directory.path("app.strata")
    var addition = EntityAddition(to: "users", named: "add")
    for number in 1...3 {
      _ = addition.add(
        Array("\(number)".utf8),
        [.init("id", .string("\(number)")), .init("text", .string("first"))]
      )
    }
    _ = try addition.create(file)
    path = try StorePath(file, for: .importing)
  }

  private func write(_ body: (WriterSession, RestoredFile) throws -> Void) throws {
    try OwnedStore.write(path, for: .importing, PersistenceConfiguration()) { session, file in
      try body(session, file)
    }
  }

  /// Writes a delta of one user.
  private func put(_ number: Int, _ text: String, in session: WriterSession) throws {
    try session.transaction { try append(number, text, to: session) }
  }

  private func append(_ number: Int, _ text: String, to session: WriterSession) throws {
    var writer = RecordWriter(resuming: session.catalog.lastLayout(of: "users"))
    var record: [UInt8] = []
    let layout = try writer.encode(User(id: "\(number)", text: text), into: &record)
    let user = StoredEntity(
      table: "users",
      id: Array("\(number)".utf8)[...],
      layout: try session.number(of: layout, table: "users"),
      record: record[...]
    )
    _ = try session.append(named: "put", time: Int64(number)) { try $0.put(user) }
  }

  private func maintenance(_ file: RestoredFile) -> Maintenance {
    var maintenance = Maintenance(policy: SnapshotPolicy(), pins: HistoryPins())
    maintenance.start(with: file)
    return maintenance
  }

  private func takeSnapshot(_ session: WriterSession, _ file: RestoredFile) throws {
    var maintenance = maintenance(file)
    try maintenance.startSnapshot(session)
    while maintenance.isSnapshotting { _ = try maintenance.step(session) }
  }

  /// The texts of the users by their IDs.
  private func texts() throws -> [String: String] {
    try Inspector(path: path.file).query { view in
      let state = try view.state(at: view.last.revision, scope: .table("users"))
      var texts: [String: String] = [:]
      var scan = state.scan("users")
      while let entity = try scan.next() {
        let members = try view.catalog.members(entity.layout, entity.record, of: "users")
        for case (let name, .string(let text)) in members.map({ ($0.name, $0.value) })
        where name == "text" {
          texts[String(decoding: entity.id, as: UTF8.self)] = text
        }
      }
      return texts
    }
  }

  /// Makes deltas unreadable, so that a snapshot that needs them fails.
  private func damage(_ session: WriterSession, where condition: String = "1") throws {
    try session.connection.execute("UPDATE delta SET body = x'FF' WHERE \(condition)")
  }

  @Test func `a snapshot does not read what its session has appended`() throws {
    try write { session, file in
      for number in 2...5 { try put(number, "second", in: session) }
      try put(3, "third", in: session)
      try damage(session)
      try takeSnapshot(session, file)
      try put(6, "fourth", in: session)
      try damage(session)
      try takeSnapshot(session, file)
    }
    #expect(
      try texts() == [
        "1": "first", "2": "second", "3": "third", "4": "second", "5": "second", "6": "fourth",
      ]
    )
  }

  @Test func `it reads what another session has appended`() throws {
    try write { session, _ in try put(2, "second", in: session) }
    try write { session, file in
      try put(4, "third", in: session)
      try takeSnapshot(session, file)
    }
    #expect(try texts() == ["1": "first", "2": "second", "3": "first", "4": "third"])
    try write { session, _ in try put(5, "fourth", in: session) }
    #expect(throws: PersistenceError.self) {
      try write { session, file in
        try put(6, "fifth", in: session)
        try damage(session, where: "revision = 3")
        try takeSnapshot(session, file)
      }
    }
  }

  @Test func `what was rolled back is in no snapshot`() throws {
    try write { session, file in
      try put(2, "second", in: session)
      #expect(throws: Stop.self) {
        try session.transaction {
          try append(2, "third", to: session)
          throw Stop()
        }
      }
      try put(4, "fourth", in: session)
      try takeSnapshot(session, file)
    }
    #expect(try texts() == ["1": "first", "2": "second", "3": "first", "4": "fourth"])
  }

  @Test func `a snapshot that was abandoned takes nothing from the next one`() throws {
    try write { session, file in
      try put(2, "second", in: session)
      var maintenance = maintenance(file)
      try maintenance.startSnapshot(session)
      try put(3, "third", in: session)
      try damage(session)
      try takeSnapshot(session, file)
    }
    #expect(try texts() == ["1": "first", "2": "second", "3": "third"])
  }

  @Test func `what does not fit into memory is read`() throws {
    let text = String(repeating: "x", count: 900_000)
    try write { session, file in
      for number in 4...14 { try put(number, text + "\(number)", in: session) }
      try takeSnapshot(session, file)
    }
    #expect(try texts().filter { $0.value == text + $0.key }.count == 11)
    #expect(throws: PersistenceError.self) {
      try write { session, file in
        for number in 4...14 { try put(number, text, in: session) }
        try damage(session, where: "revision = 22")
        try takeSnapshot(session, file)
      }
    }
  }
}
