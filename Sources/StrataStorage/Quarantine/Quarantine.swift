public import Foundation

/// The files of a store that were moved out of the way together, and the way back.
///
/// ```swift
/// for set in try Quarantine.all(besideStoreAt: "app.strata") { print(set.directory, set.reason) }
/// let set = try Quarantine.add(storeAt: "app.strata", reason: "to start afresh")
/// try set.restore()
/// ```
///
/// `.bestEffort` sets a damaged store aside into `<file>.damaged-<time>/`: the database, SQLite's WAL
/// and shared memory, and the head, whichever there are, with a `manifest.json` that was written first.
/// Nothing of it is ever deleted or written to again. A crash between two moves leaves the rest for the
/// next opening for writing, which completes it before it does anything else.
public struct Quarantine: Sendable, Equatable {
  /// The directory the files are in.
  public let directory: String
  /// The path of the store they are of.
  public let store: String
  /// When it was set aside.
  public let time: Date
  /// Why.
  public let reason: String
  /// The names of the files.
  public let files: [String]

  init(_ path: StorePath, _ directory: String, _ manifest: QuarantineManifest) {
    self.directory = directory
    store = path.file
    time = manifest.time
    reason = manifest.reason
    files = manifest.files
  }
}

extension Quarantine {
  /// What was set aside of a store and is still there, the oldest first.
  ///
  /// Reads one directory and a manifest for each. Throws ``PersistenceError``.
  public static func all(besideStoreAt path: String) throws(PersistenceError) -> [Quarantine] {
    let path = try StorePath(path, for: .quarantining)
    do {
      return try manifests(beside: path, .system).filter { $0.manifest.progress == .complete }
        .map { Quarantine(path, $0.directory, $0.manifest) }
        .sorted { ($0.time, $0.directory) < ($1.time, $1.directory) }
    } catch {
      throw PersistenceError(.quarantining, path: path.file, wrapping: error)
    }
  }

  /// Moves a store's files out of the way, so that the next opening begins a fresh one.
  ///
  /// A few renames and syncs, whatever the size. Throws ``PersistenceError``: `.missing` when there is
  /// no file, `.alreadyOpen` while a writer has it, `.foreign` for another program's database.
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
    now: Date,
    on disk: Disk
  ) throws(PersistenceError) -> Quarantine {
    let path = try StorePath(path, for: .quarantining)
    return try locked(path, now, disk) {
      guard try path.fileStatus(.quarantining) != .missing else {
        throw PersistenceError(.quarantining, path: path.file, .missing)
      }
      let header = StoreHeader(try disk.open(path.file, O_RDONLY).read(100, at: 0))
      if let id = header?.applicationID, id != StoreHeader.applicationID {
        throw PersistenceError(.quarantining, path: path.file, .foreign(applicationID: id))
      }
      var moving = QuarantineMove(of: path, reason: reason, now: now, on: disk)
      try moving.run()
      return Quarantine(path, moving.directory, moving.manifest)
    }
  }

  /// Moves the files back to where they were; what is there by now is set aside in turn.
  ///
  /// A few renames and syncs. A crash between two leaves the rest for the next opening for writing.
  /// Throws ``PersistenceError``: `.alreadyOpen` while a writer has the store, `.notFound` when the set
  /// is not there any more.
  public func restore(now: Date = Date()) throws(PersistenceError) {
    try restore(now: now, on: .system)
  }

  package func restore(now: Date, on disk: Disk) throws(PersistenceError) {
    let path = try StorePath(store, for: .quarantining)
    try Self.locked(path, now, disk) {
      var returning = try returning(now: now, on: disk)
      try returning.run()
    }
  }

  /// The moving back, a step at a time; the caller holds the writer's lock.
  package func returning(now: Date, on disk: Disk = .system) throws -> QuarantineRestore {
    let path = try StorePath(store, for: .quarantining)
    guard let manifest = try QuarantineManifest.read(in: directory, on: disk),
      manifest.progress == .complete
    else {
      throw PersistenceError(.quarantining, path: path.file, .notFound("set in \(directory)"))
    }
    return QuarantineRestore(of: path, directory, manifest, now: now, on: disk)
  }

  /// What was cut off by a crash is completed first.
  private static func locked<R>(
    _ path: StorePath,
    _ now: Date,
    _ disk: Disk,
    _ action: () throws -> R
  ) throws(PersistenceError) -> R {
    do {
      guard let lock = try LockFile(taking: path.lock, as: .current(started: now), on: disk) else {
        throw PersistenceError(
          .quarantining,
          path: path.file,
          .alreadyOpen(by: LockFile.owner(at: path.lock))
        )
      }
      let held = LockHandle(lock)
      defer { withExtendedLifetime(held) {} }
      try complete(path, now: now, on: disk)
      return try action()
    } catch {
      throw PersistenceError(.quarantining, path: path.file, wrapping: error)
    }
  }

  /// Completes what a crash cut off; the caller holds the writer's lock.
  static func complete(_ path: StorePath, now: Date, on disk: Disk) throws {
    for (directory, manifest) in try manifests(beside: path, disk)
    where manifest.progress == .moving {
      var moving = QuarantineMove(of: path, resuming: directory, manifest, on: disk)
      try moving.run()
    }
    for (directory, manifest) in try manifests(beside: path, disk)
    where manifest.progress == .returning {
      var returning = QuarantineRestore(of: path, directory, manifest, now: now, on: disk)
      try returning.run()
    }
  }

  /// Whether a crash left something to complete.
  static func isCutOff(_ path: StorePath) throws -> Bool {
    try manifests(beside: path, .system).contains {
      [.moving, .returning].contains($0.manifest.progress)
    }
  }

  private static func manifests(
    beside path: StorePath,
    _ disk: Disk
  ) throws -> [(directory: String, manifest: QuarantineManifest)] {
    let prefix = QuarantineMove.name(path.file) + ".damaged-"
    return try FileManager.default.contentsOfDirectory(atPath: path.directory).sorted()
      .filter { $0.hasPrefix(prefix) }
      .compactMap { name in
        let directory = path.directory + "/" + name
        do {
          return try QuarantineManifest.read(in: directory, on: disk).map { (directory, $0) }
        } catch is CorruptionError where FileIdentity.exists(path.file) {
          // With a store in its place nothing can be half moved; without one nobody may begin afresh.
          return nil
        }
      }
  }
}
