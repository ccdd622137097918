import Foundation
import Strata
import StrataBase
import StrataJournal
import StrataPersistence
import StrataStorage

/// A store, and the model it must agree with.
///
/// Everything that was acknowledged must be there, and only what was committed, in any order of commits, flushes,
/// snapshots, faults of the disk and power cuts. A disk that is full or does not sync must be reported. Of a medium that
/// changes what was written, it must be found before it is a wrong state.
package struct StoreModelRun {
  /// What was promised and is not so.
  package private(set) var problems: [String] = []
  /// What the run did.
  package private(set) var steps: [String] = []
  private let seed: UInt64
  private var random: SeededGenerator
  private let script: LibraryScript
  private var directory: TemporaryDirectory
  private var vfs: FaultVFS
  private var persistence: Persistence<LibraryState, LibraryDatabase>
  private var store: LibraryStore
  /// The database at each revision.
  private var states: [LibraryDatabase]
  private var acknowledged: Revision = 0
  private var boot: UUID
  private var isSuspended = false
  /// Whether the disk may have failed since it was last healed.
  private var isStruck = false
  /// Whether the medium has changed something of the file that nothing has found yet.
  private var isSpoilt = false

  package init(
    seed: UInt64,
    lie: (lie: DiskLie, kind: FileKind, every: Int)? = nil
  ) async throws {
    self.seed = seed
    self.lie = lie
    random = SeededGenerator(seed: seed)
    script = LibraryScript(seed: seed)
    directory = try TemporaryDirectory()
    boot = Scheduling.uuid()
    vfs = try Self.makeDisk(lie)
    persistence = try await Self.open(directory, vfs, .onFlush, boot)
    store = LibraryStore(persistence)
    states = [store.state.db]
  }

  /// What the disk does wrong without an error; a disk that keeps its word has none.
  private let lie: (lie: DiskLie, kind: FileKind, every: Int)?

  private static func makeDisk(_ lie: (lie: DiskLie, kind: FileKind, every: Int)?) throws
    -> FaultVFS
  {
    let disk = try FaultVFS(name: "model-\(Scheduling.uuid().uuidString)")
    if let lie { disk.lie(lie.lie, in: lie.kind, every: lie.every) }
    return disk
  }

  /// Does a number of things at random, and checks the file at the end.
  ///
  /// - Parameter chosen: The numbers of the steps, where others are left out.
  package mutating func run(steps count: Int, only chosen: Set<Int>? = nil) async throws {
    for number in 0..<count where chosen?.contains(number) ?? true {
      random = SeededGenerator(seed: seed, step: number)
      try await step("seed \(seed), step \(number)")
    }
    try await end("seed \(seed), end")
    vfs.forgetFiles()
  }

  private mutating func expect(_ isSo: Bool, _ place: String) {
    if !isSo { problems.append(place) }
  }

  private static func open(
    _ directory: TemporaryDirectory,
    _ vfs: FaultVFS?,
    _ durability: Durability,
    _ boot: UUID,
    _ policy: RestorePolicy = .strict
  ) async throws -> Persistence<LibraryState, LibraryDatabase> {
    var configuration = PersistenceConfiguration(
      durability: durability,
      snapshots: SnapshotPolicy(minimumJournalBytes: 2_000, minimumHistoryBytes: 6_000),
      queueCapacity: 40,
      recoveryInterval: .milliseconds(1)
    )
    configuration.vfs = vfs?.name
    configuration.watch = vfs?.watch
    configuration.restore = policy
    configuration.bootID = boot
    configuration.now = { Scheduling.date }
    return try await Persistence.open(
      at: directory.path("app.strata"),
      initialState: LibraryState(),
      database: \.db,
      configuration: configuration
    )
  }

  private var anyDurability: Durability {
    mutating get {
      let all: [Durability] = [.everyCommit, .grouped(maxDelay: .milliseconds(1)), .onFlush]
      return all[Int(random.next() % 3)]
    }
  }

  private mutating func step(_ place: String) async throws {
    let number = Int.random(in: 0..<26, using: &random)
    steps.append("\(place): \(number), revision \(persistence.revision)")
    switch number {
    case 0..<8: commit()
    case 8, 9, 10: try await acknowledge(place) { try await $0.flush() }
    case 11: try await acknowledge(place) { try await $0.snapshot(named: "named") }
    case 12: try await acknowledge(place) { _ = try await $0.writer.compact() }
    case 13: strike()
    case 14: heal()
    case 15: try await suspendOrResume(place)
    case 16: try await closeAndOpen(place)
    case 17: try await cutPower(place)
    case 18: try await lookBack(place)
    case 19, 20: try await spoilCopy(place)
    case 21: spoil(place)
    case 22: loseSector()
    case 23: try await failWriting(place)
    default: try await catchUp(place)
    }
  }

  private mutating func end(_ place: String) async throws {
    try await catchUp(place)
    try await closeAndOpen(place)
    try await persistence.close()
    let verification = try Inspector(path: directory.path("app.strata")).verify()
    expect(verification.isSound || isSpoilt, "\(place): \(verification)")
  }

  private mutating func commit() {
    for _ in 0..<Int.random(in: 1...12, using: &random) {
      let number = Int64(states.count)
      // That of this line would be stored, and change what a seed does whenever the line moves.
      store.commit(fileID: "TestSupport/StoreModelRun.swift", function: "commit()", line: 1) {
        script.commit(number, to: &$0.db)
      }
      states.append(store.state.db)
    }
  }

  private mutating func acknowledge(
    _ place: String,
    _ action: (Persistence<LibraryState, LibraryDatabase>) async throws -> Void
  ) async throws {
    do {
      try await action(persistence)
      acknowledged = persistence.revision
      expect(persistence.durableRevision == acknowledged, "\(place)")
    } catch {
      // A store that met a fault before may still be recovering.
      expect(isSuspended || mayFail, "\(place): \(error)")
    }
  }

  private mutating func strike() {
    isStruck = true
    vfs.inject(
      DiskFault.allCases[Int(random.next() % UInt64(DiskFault.allCases.count))],
      in: [nil, .wal, .database, .own][Int(random.next() % 4)],
      after: Int(random.next() % 30),
      times: random.next() % 2 == 0 ? .once : .sticky
    )
  }

  private func heal() { vfs.heal() }

  private var mayFail: Bool { isStruck || isSpoilt }

  private mutating func suspendOrResume(_ place: String) async throws {
    if isSuspended {
      do {
        try await persistence.resume()
        isSuspended = false
      } catch {
        expect(mayFail, "\(place): \(error)")
      }
    } else {
      do {
        try await persistence.suspend()
        acknowledged = persistence.revision
      } catch {
        expect(mayFail, "\(place): \(error)")
      }
      isSuspended = true
    }
  }

  /// Heals the disk, and waits until everything is on it.
  private mutating func catchUp(_ place: String) async throws {
    vfs.heal()
    // What is damaged may never be written again.
    if isSpoilt { try await closeAndOpen(place) }
    if isSuspended {
      try await persistence.resume()
      isSuspended = false
    }
    let deadline = Scheduling.now + .seconds(180)
    // Not a flush: if all is durable it does not reach the writer, whose maintenance may have failed.
    while true {
      do {
        _ = try await persistence.snapshot(named: "caught up")
        break
      } catch {
        if isSpoilt { return try await closeAndOpen(place) }
        // After many failures the writer waits for seconds before it tries the file again.
        if Scheduling.now > deadline { throw error }
        try await Scheduling.sleep(for: .milliseconds(1))
      }
    }
    expect(persistence.durableRevision == persistence.revision, "\(place)")
    isStruck = false
    acknowledged = persistence.revision
  }

  private mutating func closeAndOpen(_ place: String) async throws {
    do {
      try await persistence.close()
      acknowledged = persistence.revision
    } catch {
      expect(mayFail, "\(place): \(error)")
    }
    try await reopen(place)
  }

  private mutating func reopen(_ place: String) async throws {
    let durability = anyDurability
    let wasSpoilt = isSpoilt
    if isSpoilt {
      vfs.heal()
      let file = directory.path("app.strata")
      // What the WAL has hides what was done to the pages under it, and a failed sync what the medium lacks.
      isSpoilt = vfs.size(of: "\(file)-wal") > 0 || !vfs.keeps(file) || !isSound(directory)
    }
    do {
      persistence = try await Self.open(directory, vfs, durability, boot)
    } catch {
      expect(mayFail || wasSpoilt, "\(place): \(error)")
      vfs.heal()
      do {
        persistence = try await Self.open(directory, vfs, durability, boot)
      } catch {
        guard wasSpoilt else { throw error }
        return try await salvage(place)
      }
    }
    check(persistence, place)
    goOn()
  }

  /// Goes on with what was restored.
  private mutating func goOn() {
    isSuspended = false
    states = Array(states.prefix(Int(persistence.revision.number) + 1))
    store = LibraryStore(persistence)
  }

  /// What a person does with a file that was found to be damaged: takes what can be verified, or begins again.
  private mutating func salvage(_ place: String) async throws {
    do {
      persistence = try await Self.open(directory, vfs, .onFlush, boot, .bestEffort)
      check(persistence, place, loss: persistence.report.loss)
      if persistence.report.loss?.damage != nil { isSpoilt = false }
      // Such a state is none of the model.
      if persistence.report.loss?.missing.isEmpty == false { try await startOver(place) }
    } catch {
      try await startOver("\(place), \(error)")
    }
    acknowledged = persistence.revision
    goOn()
  }

  private mutating func startOver(_ place: String) async throws {
    steps.append("\(place): a new store")
    do { try await persistence.close() } catch _ {}
    directory = try TemporaryDirectory()
    vfs = try Self.makeDisk(lie)
    isSpoilt = false
    persistence = try await Self.open(directory, vfs, .onFlush, boot)
    states = [persistence.initialState.db]
  }

  /// - Parameter loss: What was reported to be lost.
  private mutating func check(
    _ restored: Persistence<LibraryState, LibraryDatabase>,
    _ place: String,
    loss: RestoreLoss? = nil
  ) {
    if restored.revision < acknowledged {
      let named = loss?.revisions ?? 0...0
      expect(
        named.lowerBound <= restored.revision.next && named.upperBound >= acknowledged,
        """
        \(place): \(acknowledged) was acknowledged, \(restored.revision) is there, and the report says \
        \(loss.map { "\($0)" } ?? "nothing")
        """
      )
    }
    if loss?.missing.isEmpty == false { return }
    guard states.indices.contains(Int(restored.revision.number)) else {
      problems.append("\(place): revision \(restored.revision) was never committed")
      return
    }
    expect(restored.initialState.db == states[Int(restored.revision.number)], "\(place)")
  }

  /// Checks what is on the medium after a power cut; every second time the run continues from there.
  private mutating func cutPower(_ place: String) async throws {
    // The end of the head may be in no medium, and with it what tells that a damaged file has lost its end.
    if isSpoilt { acknowledged = 0 }
    let after = try TemporaryDirectory()
    try vfs.cutPower(seed: random.next(), of: directory.url, into: after.url)
    if random.next() % 2 == 0, !isSpoilt {
      let restored = try await Self.open(after, nil, .onFlush, Scheduling.uuid())
      check(restored, place)
      try await restored.close()
      return
    }
    do { try await persistence.close() } catch _ {}
    directory = after
    vfs = try Self.makeDisk(lie)
    boot = Scheduling.uuid()
    isStruck = false
    try await reopen(place)
  }

  private mutating func lookBack(_ place: String) async throws {
    let revision = Int64.random(in: 0..<Int64(states.count), using: &random)
    do {
      let database = try await persistence.state(at: .revision(Revision(revision)))
      expect(database == states[Int(revision)], "\(place), revision \(revision)")
    } catch {
      switch error.reason {
      case .trimmed, .merged: break
      default: expect(isSuspended || mayFail, "\(place): \(error)")
      }
    }
  }
}

/// A medium that changes what was written.
extension StoreModelRun {
  /// One bit of the open file changes, or its next write goes to another page.
  private mutating func spoil(_ place: String) {
    isSpoilt = true
    if random.next() % 4 == 0 {
      let kind: FileKind = random.next() % 2 == 0 ? .wal : .database
      return vfs.lie(.misdirectsWrites, in: kind, every: 1, times: .once)
    }
    guard let (path, offset) = anyByte() else { return }
    let bit = Int(random.next() % 8)
    steps.append("\(place): bit \(bit) of byte \(offset) of \(path.suffix(5))")
    _ = vfs.rot(path, at: offset, bit: bit)
  }

  /// A sector of the open file cannot be read until it is written again.
  private mutating func loseSector() {
    isStruck = true
    guard let (path, offset) = anyByte() else { return }
    vfs.loseSector(of: path, at: offset)
  }

  /// A byte of a file; nil if that file has none.
  private mutating func anyByte() -> (path: String, offset: Int)? {
    let path = directory.path("app.strata") + ["", "", "-wal", ".head"][Int(random.next() % 4)]
    let size = vfs.size(of: path)
    return size == 0 ? nil : (path, Int.random(in: 0..<size, using: &random))
  }

  /// A disk that is full, or does not sync, is reported with its cause.
  private mutating func failWriting(_ place: String) async throws {
    if isSuspended || mayFail { return }
    isStruck = true
    let fault: DiskFault = random.next() % 2 == 0 ? .noRoom : .failedSync
    vfs.inject(fault, after: 0, times: .sticky)
    commit()
    do {
      try await persistence.flush()
      expect(false, "\(place): a flush succeeds while the disk has \(fault.rawValue)")
    } catch {
      let remedy: PersistenceError.Remedy = fault == .noRoom ? .freeSpace : .checkDisk
      expect(error.remedy == remedy, "\(place): \(fault.rawValue) is reported as \(error)")
      guard case .degraded = persistence.status.condition else {
        expect(
          false,
          "\(place): \(persistence.status.condition) while the disk has \(fault.rawValue)"
        )
        return
      }
    }
  }

  /// Changes a copy of the file as it is at this moment, and opens the copy in every way: what is found is right, or refused.
  private mutating func spoilCopy(_ place: String) async throws {
    if mayFail { return }
    let copy = try TemporaryDirectory()
    try vfs.copyFiles(of: directory.url, into: copy.url)
    let what = try spoilFile(in: copy)
    let path = copy.path("app.strata")
    let before = try StoreBytes(path)
    let isSound = isSound(copy)
    for policy in [RestorePolicy.readOnly, .strict, .bestEffort] {
      do {
        let restored = try await Self.open(copy, nil, .onFlush, Scheduling.uuid(), policy)
        let loss = policy == .bestEffort ? restored.report.loss : nil
        check(restored, "\(place), \(what), \(policy)", loss: loss)
        try await restored.close()
      } catch let error as PersistenceError {
        expect(!isSound, "\(place), \(what): verify finds nothing, and \(policy) throws \(error)")
        let after = try StoreBytes(path)
        expect(after == before, "\(place), \(what): refused, and changed by \(policy)")
      }
      for name in try FileManager.default.contentsOfDirectory(atPath: copy.url.path) {
        try FileManager.default.removeItem(atPath: copy.path(name))
      }
      for (name, data) in before.files { try data.write(to: URL(fileURLWithPath: copy.path(name))) }
    }
  }

  /// Whether a file that is not open is sound, as far as can be found without opening it.
  private func isSound(_ directory: TemporaryDirectory) -> Bool {
    do {
      return try Inspector(path: directory.path("app.strata")).verify().isSound
    } catch _ {
      return false
    }
  }

  /// Changes a bit, or writes a page to the place of the next one, in a file of a directory; returns what it did.
  private mutating func spoilFile(in copy: TemporaryDirectory) throws -> String {
    let names = ["app.strata", "app.strata", "app.strata-wal", "app.strata.head"]
    let name = names[Int(random.next() % 4)]
    let url = URL(fileURLWithPath: copy.path(name))
    guard var data = FileManager.default.contents(atPath: url.path), !data.isEmpty else {
      return "nothing"
    }
    let place = Int.random(in: 0..<data.count, using: &random)
    let page = place / 4_096 * 4_096
    let what: String
    if random.next() % 4 == 0, page + 8_192 <= data.count {
      data.replaceSubrange(page + 4_096..<page + 8_192, with: data[page..<page + 4_096])
      what = "\(name) has page \(page / 4_096) twice"
    } else {
      let bit = Int(random.next() % 8)
      data[place] ^= 1 << bit
      what = "\(name) has another bit \(bit) in byte \(place)"
    }
    try data.write(to: url)
    return what
  }
}
