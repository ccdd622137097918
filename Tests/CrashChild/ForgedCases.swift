import Foundation
import Strata
import StrataJournal
import StrataPersistence
import StrataStorage
import TestSupport

/// Forges stores, and runs every subcommand of `strata` and every opening policy on each of them.
///
/// Each case has a directory of its own, and each reading and opening a process of its own.
struct ForgedCases {
  private let directory: String
  private let seed: UInt64
  private let samples: [String]
  /// The processor time that a reading or an opening may take: a hundred times what all rows of the larger sample take.
  private var mostSeconds = Double.infinity

  /// Makes the samples in a directory.
  init(in directory: String, seed: UInt64) async throws {
    self.directory = directory
    self.seed = seed
    samples = [directory + "/sample", directory + "/large-sample"]
    for sample in samples {
      try FileManager.default.createDirectory(
        atPath: sample,
        withIntermediateDirectories: true
      )
    }
    try await Self.makeSample(at: samples[0] + "/app.strata")
    try await Self.makeLargeSample(at: samples[1] + "/app.strata")
    LimitedProcess.limitChildren()
    let sound = samples[1] + "/app.strata"
    let verified = try LimitedProcess(Self.strata, ["verify", sound], in: directory)
    let opened = try LimitedProcess(
      CommandLine.arguments[0],
      [sound, "0", "open", "\(RestorePolicy.readOnly)"],
      in: directory
    )
    mostSeconds = 100 * max(verified.seconds, opened.seconds)
  }

  private static let strata = URL(fileURLWithPath: CommandLine.arguments[0])
    .deletingLastPathComponent().appendingPathComponent("strata").path

  /// A store with snapshots at 0, 8 ("named") and 16, and deltas up to 24.
  private static func makeSample(at path: String) async throws {
    let persistence = try await open(path, .strict)
    let store = LibraryStore(persistence)
    let script = LibraryScript(seed: 1)
    for number in Int64(1)...24 {
      store.commit("script") { script.commit(number, to: &$0.db) }
      if number == 8 { try await persistence.snapshot(named: "named") }
      if number == 16 { try await persistence.snapshot(named: "sixteen") }
    }
    try await persistence.close()
  }

  /// A store whose second delta has several parts.
  private static func makeLargeSample(at path: String) async throws {
    let persistence = try await open(path, .strict)
    let store = LibraryStore(persistence)
    store.commit { $0.db.authors.insert(Author(id: "a", name: "Ada")) }
    store.commit { state in
      for number in 0..<3 {
        let title = String(repeating: "\(number)", count: 600_000)
        state.db.books.insert(Book(id: EntityID(number), title: title))
      }
    }
    store.commit { $0.db.authors.insert(Author(id: "b", name: "Bea")) }
    try await persistence.close()
  }

  static func open(
    _ path: String,
    _ policy: RestorePolicy
  ) async throws(PersistenceError) -> Persistence<LibraryState, LibraryDatabase> {
    try await Persistence.open(
      at: path,
      initialState: LibraryState(),
      database: \.db,
      configuration: PersistenceConfiguration(
        snapshots: SnapshotPolicy(minimumJournalBytes: 1 << 40),
        restore: policy
      )
    )
  }
}

/// A case.
extension ForgedCases {
  /// Those of every case, with a store.
  private static let subcommands = [
    "info STORE", "tables STORE", "show STORE books", "log STORE", "verify STORE",
  ]
  /// Groups of others, of which each case has one.
  private static let furtherSubcommands = [
    [
      "info STORE --json", "show STORE authors clock --json", "log STORE --after 0 --json",
      "schema STORE", "list STORE books --limit 5", "fork STORE COPY",
    ],
    [
      "history STORE authors clock", "blame STORE authors clock", "diff STORE 0..HEAD",
      "compare STORE STORE",
      "find STORE a --all", "snapshot list STORE",
    ],
    [
      "query STORE SELECT\u{a0}count(*),max(title)\u{a0}FROM\u{a0}books", "export STORE --ndjson",
      "stats STORE", "doctor STORE", "bundle STORE --output COPY", "diff STORE HEAD~1 --sql",
    ],
  ]

  /// The arguments of the subcommands of a case.
  private func subcommands(of number: Int, at path: String) -> [(name: String, [String])] {
    let further = Self.furtherSubcommands[number % Self.furtherSubcommands.count]
    return (Self.subcommands + further).map { line in
      let words = line.split(separator: " ").map { word in
        switch word {
        case "STORE": path
        case "COPY": directory + "/copy/app.strata"
        default: word.replacingOccurrences(of: "\u{a0}", with: " ")
        }
      }
      return (line, words)
    }
  }

  /// Runs a case, and returns what was forged, what came of it, and what is wrong with that.
  func run(_ number: Int) throws -> (forgery: String, results: [String], problems: [String]) {
    let home = directory + "/case"
    let path = home + "/app.strata"
    try? FileManager.default.removeItem(atPath: home)
    try FileManager.default.copyItem(atPath: samples[number % 8 == 7 ? 1 : 0], toPath: home)
    let forgery = try Forgery(number, seed: seed, at: path)
    var results: [String] = []
    var problems: [String] = []

    let before = try Contents(of: home, .reading)
    let copies = directory + "/copy"
    for (name, arguments) in subcommands(of: number, at: path) {
      try? FileManager.default.removeItem(atPath: copies)
      try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: true)
      let process = try LimitedProcess(Self.strata, arguments, in: directory)
      results.append("\(name) \(process.status)")
      problems += (self.problems(of: process) + Self.controls(in: process)).map { "\(name): \($0)" }
      if process.status == 64 { problems.append("\(name): a usage error") }
      if process.status != 0, process.output.isEmpty, process.errors.isEmpty {
        problems.append("\(name): no reason")
      }
    }
    if try Contents(of: home, .reading) != before { problems.append("a subcommand changed files") }

    for policy in RestorePolicy.allCases {
      let copy = "\(directory)/\(policy)"
      try? FileManager.default.removeItem(atPath: copy)
      // FileManager would open a FIFO, and wait for its other end.
      guard try LimitedProcess("/bin/cp", ["-a", home, copy], in: directory).status == 0 else {
        throw CocoaError(.fileWriteUnknown)
      }
      let before = try Contents(of: copy, .opening)
      let arguments = [copy + "/app.strata", "0", "open", "\(policy)"]
      let process = try LimitedProcess(CommandLine.arguments[0], arguments, in: directory)
      let answer = String(decoding: process.output, as: UTF8.self)
        .trimmingCharacters(in: .newlines)
      results.append("\(policy) \(answer.prefix { $0 != ":" })")
      problems += self.problems(of: process).map { "\(policy): \($0)" }
      if process.status > 0 { problems.append("\(policy): \(answer)") }
      let after = try Contents(of: copy, .opening)
      let isRefused = answer.hasPrefix("refused")
      if policy == .readOnly || isRefused, after != before {
        problems.append("\(policy): changed files (\(answer))")
      }
      if after.victims != before.victims { problems.append("\(policy): changed another file") }
    }
    return (forgery.description, results, problems)
  }

  private func problems(of process: LimitedProcess) -> [String] {
    var problems: [String] = []
    if process.status < 0 { problems.append("signal \(-process.status)") }
    if !process.isWithinLimits(mostSeconds: mostSeconds) {
      problems.append("\(process.seconds) s of \(mostSeconds), \(process.peak >> 20) MB")
    }
    return problems
  }

  /// What a terminal would act on.
  private static func controls(in process: LimitedProcess) -> [String] {
    let text = String(decoding: process.output + process.errors, as: UTF8.self)
    let controls = text.unicodeScalars.filter { scalar in
      scalar != "\n" && scalar != "\t"
        && (scalar.properties.generalCategory == .control || scalar.properties.isBidiControl)
    }
    return Set(controls).sorted().map {
      "printed U+\(String($0.value, radix: 16, uppercase: true))"
    }
  }
}

/// The kind and the bytes of each file in a directory.
private struct Contents: Equatable {
  enum Purpose {
    case reading, opening
  }

  private(set) var files: [String: Data] = [:]

  /// SQLite's shared memory does not count, nor an empty WAL; for an opening, nor a regular lock file,
  /// which names the last writer.
  init(of directory: String, _ purpose: Purpose) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: directory) {
      let path = directory + "/" + name
      let type = try FileManager.default.attributesOfItem(atPath: path)[.type] as? FileAttributeType
      switch type {
      case .typeRegular?:
        if name.hasSuffix("-shm") || purpose == .opening && name.hasSuffix(".lock") { continue }
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        if !(name.hasSuffix("-wal") && data.isEmpty) { files[name] = data }
      case .typeSymbolicLink?:
        files[name] = Data(try FileManager.default.destinationOfSymbolicLink(atPath: path).utf8)
      default: files[name] = Data((type?.rawValue ?? "").utf8)
      }
    }
  }

  /// The files that do not belong to the store.
  var victims: [String: Data] { files.filter { !$0.key.hasPrefix("app.strata") } }
}

/// An opening.
extension ForgedCases {
  /// Opens a store, works with it, closes it, and prints what came of it.
  ///
  /// The process ends with 1 if an error is not typed, or if what was acknowledged is not there afterwards.
  static func work(onStoreAt path: String, _ policy: RestorePolicy) async {
    let persistence: Persistence<LibraryState, LibraryDatabase>
    do {
      persistence = try await open(path, policy)
    } catch {
      return print("refused: \(error)")
    }
    let restored = persistence.revision
    for revision in [0, 1, restored.number / 2, restored.number, .max] {
      await attempt { () async throws(PersistenceError) in
        _ = try await persistence.state(at: .revision(Revision(revision)))
      }
    }
    guard policy != .readOnly else {
      await attempt { () async throws(PersistenceError) in try await persistence.close() }
      return print("restored \(restored)")
    }
    let store = LibraryStore(persistence)
    store.commit { $0.db.authors.insert(Author(id: "forged", name: "work")) }
    let state = store.state.db
    do {
      try await persistence.flush()
    } catch {
      await attempt { () async throws(PersistenceError) in try await persistence.close() }
      return print("failed: \(error)")
    }
    let acknowledged = persistence.durableRevision
    await attempt { () async throws(PersistenceError) in
      _ = try await persistence.backup(to: path + ".copy")
    }
    await attempt { () async throws(PersistenceError) in
      _ = try await persistence.snapshot(named: "work")
    }
    await attempt { () async throws(PersistenceError) in try await persistence.close() }
    // Records that were left out stay in the file, and a strict opening refuses them.
    let leftOut = (persistence.report.loss?.undecodableCount ?? 0) > 0
    do {
      let again = try await open(path, leftOut ? policy : .strict)
      guard again.initialState.db == state, again.revision == acknowledged else {
        print("broken: acknowledged revision \(acknowledged), found \(again.revision)")
        exit(1)
      }
      try await again.close()
    } catch {
      print("broken: the store cannot be opened after its work: \(error)")
      exit(1)
    }
    print("worked \(restored)")
  }

  /// Does something that may fail with a typed error.
  private static func attempt(_ body: () async throws(PersistenceError) -> Void) async {
    do throws(PersistenceError) { try await body() } catch _ {}
  }
}
