import Foundation
import Strata
import StrataCore
import StrataInspection
import StrataJournal
import StrataPersistence
import StrataRecords
import StrataStorage
import TestSupport
import Testing

/// A file with every kind of value, which two builds have written.
struct FormatTests {
  /// Which file.
  enum Origin: CaseIterable {
    /// One that is made now.
    case made
    /// That of the day on which the format became final: a change of it is a migration from here on.
    case kept
  }

  let directory: TemporaryDirectory
  let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
  }

  @Test(arguments: Origin.allCases)
  func `it is verified, and says of itself how it was made`(_ origin: Origin) async throws {
    try await make(origin)
    let inspector = try Inspector(path: path)
    let verification = try inspector.verify()
    #expect(verification.isSound, "\(verification)")
    let info = try inspector.info()
    #expect(info.format == StoreFormat.known)
    #expect(info.application == "Golden")
    #expect(info.lineages.map(\.reason) == [.created])
    #expect(info.revision == 12)
    #expect(info.layouts == 16)
    #expect(info.snapshots.map(\.revision) == [8, 3, 0])
    #expect(info.snapshots.map(\.names) == [["second light"], ["first light"], []])
    #expect(info.journal.trimmed == nil)
  }

  @Test(arguments: Origin.allCases)
  func `it is restored to what it was made of, at every revision`(_ origin: Origin) async throws {
    try await make(origin)
    let persistence = try await Persistence.open(
      at: path,
      initialState: Golden.State(db: Golden.Second()),
      database: \.db
    )
    #expect(persistence.initialState.db == Golden.second(at: 12))
    #expect(persistence.report.snapshotRevision == 8)
    #expect(persistence.report.replayedDeltas == 3)
    #expect(persistence.report.notes.isEmpty)
    try await persistence.close()
    let inspector = try Inspector(path: path)
    #expect(try inspector.verify().isSound)
    for revision in Int64(0)...3 {
      let restored = try inspector.database(over: Golden.First(), at: Revision(revision))
      #expect(restored == Golden.first(at: revision), "revision \(revision)")
    }
    for revision in Int64(4)...12 where revision == 11 || !Golden.merged.contains(revision) {
      let restored = try inspector.database(over: Golden.Second(), at: Revision(revision))
      #expect(restored == Golden.second(at: revision), "revision \(revision)")
    }
  }

  @Test(arguments: Origin.allCases)
  func `a build with fewer tables and fields reads what it knows of it`(_ origin: Origin)
    async throws
  {
    try await make(origin)
    let persistence = try await Persistence.open(
      at: path,
      initialState: Golden.State(db: Golden.First()),
      database: \.db,
      configuration: PersistenceConfiguration(restore: .readOnly)
    )
    let second = Golden.second(at: 12)
    #expect(persistence.initialState.db.authors == second.authors)
    let texts = Set(persistence.initialState.db.notes.map { "\($0.id) \($0.text)" })
    #expect(texts == Set(second.notes.map { "\($0.id) \($0.text)" }))
    #expect(persistence.report.unknownTables.count == 12)
    try await persistence.close()
  }

  /// A script written from the page on the format alone reads the same.
  @Test(arguments: Origin.allCases)
  func `a reader that is made from the page reads it`(_ origin: Origin) async throws {
    try await make(origin)
    let lines = try Self.readByScript(path)
    let inspector = try Inspector(path: path)
    let info = try inspector.info()
    #expect(lines.first == "revision 12 lineage \(info.lineage) chain \(info.chain)")
    var expected: [String] = []
    for table in (info.tables + info.values.map(StoredValues.table)).sorted() {
      for entity in try inspector.query({ view in
        try view.read(at: view.last.revision, extent: .visited, scope: .table(table)) { merge in
          var entities: [StoredEntity] = []
          while let entity = try merge.next() { entities.append(entity) }
          return try entities.map { ($0, try view.catalog.layout($0.layout)) }
        }.contents
      }) {
        let value = try RecordValue(record: entity.0.record, layout: entity.1)
        let id = entity.0.id.map { Self.hex([$0]) }.joined()
        expected.append("\(Self.hex(table.utf8)) \(id) \(Self.text(of: value))")
      }
    }
    #expect(expected.count > 20)
    #expect(lines.dropFirst().filter { !$0.hasPrefix("context ") } == expected[...])
    let contexts = try inspector.query { view in
      var replay = view.replay(after: 0, chain: try view.chain(before: 1))
      var contexts: [String] = []
      while let (header, _) = try replay.next() {
        guard let context = header.context else { continue }
        let text = Self.text(of: try TaggedValue.value(of: context))
        contexts.append("context \(header.revision) \(text)")
      }
      return contexts
    }
    #expect(contexts.count == 2)
    #expect(lines.filter { $0.hasPrefix("context ") } == contexts)
  }

  @Test(arguments: Origin.allCases)
  func `it has the contexts of its commits, and the references of its fields`(_ origin: Origin)
    async throws
  {
    try await make(origin)
    let inspector = try Inspector(path: path)
    let log = try inspector.log(.last(100)).deltas
    #expect(log.filter { $0.contexts != nil }.map(\.revision) == [6, 11])
    #expect(
      log.first { $0.revision == 6 }?.contexts == [
        ContextSummary(
          user: "ann",
          request: "7",
          trace: "4bf9",
          call: .init(name: "tag", arguments: #"{"tags":["a","b"]}"#),
          fields: ["source": "golden"]
        )
      ]
    )
    #expect(
      log.first { $0.revision == 11 }?.contexts
        == [ContextSummary(revision: 10, user: "bob"), ContextSummary(revision: 11, user: "cid")]
    )
    let tables = try inspector.tables()
    let books = tables.first { $0.name == "books" }?.fields ?? []
    #expect(books.map(\.references) == [nil, nil, "authors", nil])
  }

  @Test(arguments: [
    "UPDATE snapshot_name SET revision = 3", "UPDATE origin SET opened = opened + 1",
    "UPDATE entity_table SET until = 9 WHERE name = 'notes'",
    "UPDATE migration SET name = 'another'",
    "UPDATE delta SET name = 'forged' WHERE revision = 2",
    "UPDATE chunk SET body = zeroblob(length(body)) WHERE id = 2",
    "UPDATE listing SET count = count + 1",
  ])
  func `that reader finds damage`(sql: String) async throws {
    try await make(.made)
    try RawSQLite.run(sql, on: path)
    try RawSQLite.run("PRAGMA wal_checkpoint(TRUNCATE)", on: path)
    #expect(throws: ScriptFailure.self) { _ = try Self.readByScript(path) }
  }
}

extension FormatTests {
  private struct ScriptFailure: Error {
    let status: Int32
    let text: String
  }

  private static func readByScript(_ path: String) throws -> [String] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["python3", Self.script, path]
    let (output, errors) = (Pipe(), Pipe())
    process.standardOutput = output
    process.standardError = errors
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let problem = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw ScriptFailure(status: process.terminationStatus, text: problem)
    }
    return text.split(separator: "\n").map(String.init)
  }

  private static func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  private static func hex(_ number: some FixedWidthInteger) -> String {
    withUnsafeBytes(of: number.bigEndian) { hex($0) }
  }

  /// A value as the script prints it.
  private static func text(of value: RecordValue) -> String {
    switch value {
    case .null: "null"
    case .bool(let bool): "\(bool)"
    case .int(let number, let width): "i\(bits(width)):\(number)"
    case .uint(let number, let width): "u\(bits(width)):\(number)"
    case .float(let number): "float:\(hex(number.bitPattern))"
    case .double(let number): "double:\(hex(number.bitPattern))"
    case .string(let text): "string:\(hex(text.utf8))"
    case .data(let data): "data:\(hex(data))"
    case .date(let date): "date:\(hex(date.timeIntervalSinceReferenceDate.bitPattern))"
    case .uuid(let uuid):
      "uuid:\(uuid.uuidString.lowercased().replacingOccurrences(of: "-", with: ""))"
    case .url(let url): "url:\(hex(url.absoluteString.utf8))"
    case .decimal(let decimal): "decimal:\(hex(decimal.description.utf8))"
    case .array(let elements): "[\(elements.map { text(of: $0) }.joined(separator: ","))]"
    case .object(let members):
      "{\(members.map { "\(hex($0.name.utf8))=\(text(of: $0.value))" }.joined(separator: ","))}"
    }
  }

  private static func bits(_ width: IntegerWidth) -> Int {
    switch width {
    case .bits8: 8
    case .bits16: 16
    case .bits32: 32
    case .bits64: 64
    }
  }
}

extension FormatTests {
  private static let script = golden("read_store.py")

  private static func golden(_ name: String) -> String {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appendingPathComponent("../../TestSupport/Golden/\(name)").path
  }

  /// Makes the file.
  ///
  /// `STRATA_RECORD=1` keeps one that is made now, which only a new format is a reason for.
  private func make(_ origin: Origin) async throws {
    let kept = Self.golden("Kept/format-\(StoreFormat.known).strata")
    let records = ProcessInfo.processInfo.environment["STRATA_RECORD"] != nil
    if origin == .made || records {
      try await makeFirst()
      try await makeSecond()
    }
    if origin == .made { return }
    for companion in ["", ".head"] {
      let (made, kept) = (path + companion, kept + companion)
      if records {
        try Data(contentsOf: URL(fileURLWithPath: made)).write(to: URL(fileURLWithPath: kept))
      } else {
        try FileManager.default.copyItem(atPath: kept, toPath: made)
      }
    }
  }

  private static let configuration = {
    var configuration = PersistenceConfiguration(
      snapshots: SnapshotPolicy(minimumJournalBytes: 1 << 40),
      recoveryInterval: .milliseconds(2),
      now: { Date(timeIntervalSince1970: 1_790_000_000) }
    )
    configuration.application = "Golden"
    return configuration
  }()

  private struct Tagging: Codable, Equatable { var tags = ["a", "b"] }

  private static func context(of revision: Int64) -> CommitContext? {
    switch revision {
    case 6:
      CommitContext(
        user: "ann",
        request: "7",
        traceID: "4bf9",
        call: RecordedCall("tag", arguments: Tagging()),
        fields: ["source": "golden"]
      )
    case 10: CommitContext(user: "bob")
    case 11: CommitContext(user: "cid")
    default: nil
    }
  }

  private func makeFirst() async throws {
    let persistence = try await Persistence.open(
      at: path,
      initialState: Golden.State(db: Golden.firstInitial),
      database: \.db,
      configuration: Self.configuration
    )
    let store = Store<Golden.State<Golden.First>, Never>(persistence)
    for commit in Golden.first { store.commit(commit.name) { commit.edit(&$0.db) } }
    try await persistence.snapshot(named: "first light")
    try await persistence.close()
  }

  /// With two commits that are merged because the disk is full, and an entity that cannot be encoded.
  private func makeSecond() async throws {
    let vfs = try FaultVFS(name: "golden-\(UUID().uuidString)")
    var configuration = Self.configuration
    configuration.vfs = vfs.name
    let persistence = try await Persistence.open(
      at: path,
      initialState: Golden.State(db: Golden.secondInitial),
      database: \.db,
      configuration: configuration
    )
    let store = Store<Golden.State<Golden.Second>, Never>(persistence)
    for (index, commit) in Golden.second.enumerated() {
      let revision = Int64(index) + 5
      if revision == 9 { vfs.failNext(.write, in: .wal, code: .full, times: .sticky) }
      if revision == 10 { vfs.failNext(.open, in: .database, code: .cantOpen, times: .sticky) }
      store.commit(commit.name, context: Self.context(of: revision)) { commit.edit(&$0.db) }
      switch revision {
      case 8: try await persistence.snapshot(named: "second light")
      case 9: await #expect(throws: PersistenceError.self) { try await persistence.flush() }
      case 11:
        // Waiting commits are merged each time the file cannot be opened again.
        let attempts = vfs.count(of: .open, in: .database)
        while vfs.count(of: .open, in: .database) < attempts + 3 { await Task.yield() }
        vfs.heal()
        // The next commit is merged with them as long as the file is not open again.
        while persistence.status.revisions.durable < 11 { await Task.yield() }
      default: break
      }
    }
    await #expect(throws: PersistenceError.self) { try await persistence.close() }
  }
}
