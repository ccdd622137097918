public import Foundation
import StrataBase
public import StrataJournal

/// A set of a store's files that were moved out of the way together, and can be restored.
///
/// ```swift
/// for set in try Quarantine.all(besideStoreAt: "app.strata") { print(set.directory, set.reason) }
/// let set = try Quarantine.add(storeAt: "app.strata", reason: "start from scratch")
/// try set.restore()
/// ```
///
/// Opening a damaged store under `.bestEffort` moves it into `<file>.damaged-<time>/`: the database,
/// SQLite's WAL and shared memory, and the head, as far as they exist. One whose archive has other commits, or whose place
/// a backup takes, is moved into `<file>.set-aside-<time>/`. A `manifest.json` is written first.
/// The files are never deleted or written to again. If a crash interrupts the move, the next opening for
/// writing completes it before anything else.
public struct Quarantine: Sendable, Equatable {
  /// The directory the files are in.
  public let directory: String
  /// The path of the store.
  public let store: String
  /// When it was quarantined.
  public let time: Date
  /// Why it was quarantined.
  public let reason: String
  /// The names of the files.
  public let files: [String]
  /// The revisions that only these files have, if an archive has another history and it is known.
  package let revisions: ClosedRange<Revision>?

  init(_ path: StorePath, _ directory: String, _ manifest: QuarantineManifest) {
    self.directory = directory
    store = path.file
    time = manifest.time
    reason = manifest.reason
    files = manifest.files
    revisions = manifest.displaced?.revisions
  }
}

extension Quarantine {
  /// The quarantined sets of a store, oldest first, without those that were restored.
  ///
  /// Reads one directory, and a manifest for each set. Throws `PersistenceError`.
  public static func all(besideStoreAt path: String) throws(PersistenceError) -> [Quarantine] {
    let path = try StorePath(path, for: .quarantining)
    do {
      return try manifests(beside: path, .system).filter { $0.manifest.progress == .complete }
        .map { Quarantine(path, $0.directory, $0.manifest) }
        .inOrder { ($0.time, $0.directory) < ($1.time, $1.directory) }
    } catch {
      throw PersistenceError(.quarantining, path: path.file, wrapping: error)
    }
  }

  /// Moves a store's files out of the way, so that the next opening creates a new one.
  ///
  /// A few renames and syncs, whatever the size. Throws `PersistenceError`: `.notThere` when there is
  /// no file, `.locked` while a writer has it open, `.notAStore` for another program's database.
  @discardableResult
  public static func add(
    storeAt path: String,
    reason: String,
    now: Date = Date()
  ) throws(PersistenceError) -> Quarantine {
    try add(storeAt: path, reason: reason, now: now, on: .system)
  }

  package static func add(
    storeAt path: String,
    reason: String,
    displaced: DisplacedHistory? = nil,
    now: Date,
    on disk: Disk
  ) throws(PersistenceError) -> Quarantine {
    let path = try StorePath(path, for: .quarantining)
    return try locked(path, now, disk) {
      guard try path.fileStatus(.quarantining) != .missing else {
        throw PersistenceError(.quarantining, path: path.file, .missing)
      }
      try checkIsNotForeign(path, on: disk)
      var move = try QuarantineMove(
        of: path,
        reason: reason,
        cause: displaced == nil ? .damaged : .setAside,
        displaced: displaced,
        now: now,
        on: disk
      )
      try move.run()
      return move.quarantine
    }
  }

  /// Keeps another history of a store in a directory beside it, as one that was set aside.
  ///
  /// - Parameter make: Creates the store's file in the directory. If it throws, the directory is removed.
  package static func keep(
    besideStoreAt path: StorePath,
    reason: String,
    _ displaced: DisplacedHistory,
    now: Date,
    on disk: Disk,
    _ make: (_ copy: StorePath) async throws -> Void
  ) async throws -> Quarantine {
    var displaced = displaced
    // The caller reports it.
    displaced.isReported = true
    var move = try QuarantineMove(
      of: path,
      reason: reason,
      files: [],
      cause: .setAside,
      displaced: displaced,
      now: now,
      on: disk
    )
    let owner = path.owner
    try disk.makeDirectory(move.directory, like: owner)
    do {
      let copy = try StorePath(
        move.directory + "/" + QuarantineMove.name(path.file),
        for: .quarantining
      )
      try await make(copy)
      try owner?.claim(copy.companions, on: disk)
      try move.complete(with: copy.companions)
      try disk.sync(path.directory)
    } catch {
      for name in try FileManager.default.contentsOfDirectory(atPath: move.directory) {
        try disk.remove(move.directory + "/" + name)
      }
      rmdir(move.directory)
      throw error
    }
    return move.quarantine
  }

  /// Moves the files back to where they were; files that have taken their place are quarantined in turn.
  ///
  /// A few renames and syncs. If a crash interrupts them, the next opening for writing completes them.
  /// Throws `PersistenceError`: `.locked` while a writer has the store open, `.notThere` when the
  /// set no longer exists.
  public func restore(now: Date = Date()) throws(PersistenceError) {
    try restore(now: now, on: .system)
  }

  package func restore(now: Date, on disk: Disk) throws(PersistenceError) {
    let path = try StorePath(store, for: .quarantining)
    try Self.locked(path, now, disk) {
      var restore = try makeRestore(now: now, on: disk)
      try restore.run()
    }
  }

  /// The restore, to be run a step at a time; the caller holds the writer's lock.
  package func makeRestore(now: Date, on disk: Disk = .system) throws -> QuarantineRestore {
    let path = try StorePath(store, for: .quarantining)
    guard let manifest = try QuarantineManifest.read(in: directory, of: path, on: disk),
      manifest.progress == .complete
    else {
      throw PersistenceError(.quarantining, path: path.file, .notFound("set in \(directory)"))
    }
    return QuarantineRestore(of: path, directory, manifest, now: now, on: disk)
  }

  /// Refuses the database of another program; one whose header cannot be read may be moved.
  package static func checkIsNotForeign(_ path: StorePath, on disk: Disk) throws {
    let header = StoreHeader(try disk.open(path.file, O_RDONLY).read(100, at: 0))
    if let id = header?.applicationID, id != StoreHeader.applicationID {
      throw PersistenceError.Reason.foreign(applicationID: id)
    }
  }

  /// Runs `action` under the writer's lock, once moves that a crash interrupted are completed.
  package static func locked<R>(
    _ path: StorePath,
    for operation: PersistenceError.Operation = .quarantining,
    _ now: Date,
    _ disk: Disk,
    _ action: () throws -> R
  ) throws(PersistenceError) -> R {
    do {
      // Even if the header is damaged: such files are moved too.
      let lock = try WriterLock.take(path, as: .current(started: now), for: operation, on: disk)
      defer { withExtendedLifetime(lock) {} }
      try complete(path, now: now, on: disk)
      return try action()
    } catch {
      throw PersistenceError(operation, path: path.file, wrapping: error)
    }
  }

  /// Completes moves that a crash interrupted; the caller holds the writer's lock.
  package static func complete(_ path: StorePath, now: Date, on disk: Disk) throws {
    for (directory, manifest) in try manifests(beside: path, disk)
    where manifest.progress == .moving {
      var move = QuarantineMove(of: path, resuming: directory, manifest, on: disk)
      try move.run()
    }
    for (directory, manifest) in try manifests(beside: path, disk)
    where manifest.progress == .restoring {
      var restore = QuarantineRestore(of: path, directory, manifest, now: now, on: disk)
      try restore.run()
    }
    try removeUnstarted(beside: path, on: disk)
  }

  /// Removes the directories of moves that a crash ended before they had a manifest: no file of a store is in them.
  private static func removeUnstarted(beside path: StorePath, on disk: Disk) throws {
    for name in try FileManager.default.contentsOfDirectory(atPath: path.directory)
    where path.quarantineCause(ofDirectory: name) != nil {
      let directory = path.directory + "/" + name
      let draft = QuarantineManifest.name + ".new"
      var isDirectory: ObjCBool = false
      guard FileManager.default.fileExists(atPath: directory, isDirectory: &isDirectory),
        isDirectory.boolValue
      else { continue }
      let files = try FileManager.default.contentsOfDirectory(atPath: directory)
      guard files.isEmpty || files == [draft] else { continue }
      for file in files { try disk.remove(directory + "/" + file) }
      guard rmdir(directory) == 0 else { throw SystemError("rmdir", directory) }
    }
  }

  /// Completes moves that a crash interrupted, if there are any.
  ///
  /// Throws `.alreadyOpen` while a writer has the store open.
  package static func completeMoves(
    of path: StorePath,
    now: Date,
    on disk: Disk
  ) throws(PersistenceError) {
    do {
      guard try hasInterruptedMove(path) else { return }
    } catch {
      throw PersistenceError(.quarantining, path: path.file, wrapping: error)
    }
    try locked(path, now, disk) {}
  }

  /// The sets whose history an archive has displaced and that no opening has reported, the newest first.
  package static func unreported(besideStoreAt path: StorePath, on disk: Disk) throws
    -> [Quarantine]
  {
    try manifests(beside: path, disk).filter {
      $0.manifest.progress == .complete && $0.manifest.displaced?.isReported == false
    }
    .map { Quarantine(path, $0.directory, $0.manifest) }
    .inOrder { ($0.time, $0.directory) > ($1.time, $1.directory) }
  }

  /// Notes that an opening has reported the sets of a store.
  package static func noteReported(besideStoreAt path: StorePath, on disk: Disk) throws {
    for (directory, var manifest) in try manifests(beside: path, disk)
    where manifest.displaced?.isReported == false {
      manifest.displaced?.isReported = true
      try manifest.write(in: directory, on: disk)
    }
  }

  /// Moves files beside a store that are not its own out of the way; nil if there are none.
  ///
  /// The caller holds the writer's lock.
  static func addForeignCompanions(
    of path: StorePath,
    now: Date,
    on disk: Disk
  ) throws -> Quarantine? {
    let foreign = try path.foreignCompanions()
    if foreign.isEmpty { return nil }
    var move = try QuarantineMove(
      of: path,
      reason: foreign.map(\.detail).joined(separator: "; "),
      files: foreign.map(\.path),
      now: now,
      on: disk
    )
    try move.run()
    return move.quarantine
  }

  /// Whether a crash interrupted a move.
  package static func hasInterruptedMove(_ path: StorePath) throws -> Bool {
    try manifests(beside: path, .system).contains {
      [.moving, .restoring].contains($0.manifest.progress)
    }
  }

  private static func manifests(
    beside path: StorePath,
    _ disk: Disk
  ) throws -> [(directory: String, manifest: QuarantineManifest)] {
    try FileManager.default.contentsOfDirectory(atPath: path.directory).inOrder()
      .filter { path.quarantineCause(ofDirectory: $0) != nil }
      .compactMap { name in
        let directory = path.directory + "/" + name
        do {
          return try QuarantineManifest.read(in: directory, of: path, on: disk)
            .map { (directory, $0) }
        } catch is CorruptionError where FileIdentity.exists(path.file) {
          // With a store in place nothing is half moved. Without one, no new store may be created.
          return nil
        }
      }
  }
}
