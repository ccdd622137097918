import StrataBase
import StrataJournal
import StrataSQLite
import StrataSchema
import StrataStorage

/// The catalog of an archive, as it was read there.
///
/// It is not trusted: where it is damaged or of another format, what uses it throws `ArchiveError`, which names the archive.
package struct ArchiveCatalog: Sendable {
  private let image: ArchivedImage

  /// Throws as `Archive.catalog` does.
  init(of archive: any Archive) async throws(ArchiveError) {
    image = ArchivedImage(try await archive.catalog(), "its catalog", in: archive.name)
  }

  /// Imports it, as it was at the revision where the history ends, into a file of the store, in the caller's transaction.
  ///
  /// O(rows), all of which are verified before.
  ///
  /// The catalog may be ahead of the revision.
  func write(to destination: Connection, through revision: Revision) throws {
    var own = try StoreIdentity.read(destination)
    let source = try image.read { source in
      try ArchivedImage.verifyRows(of: source)
      let identity = try StoreIdentity.read(source)
      guard identity.id == own.id else {
        throw CorruptionError("it is of store \(identity.id), the history of \(own.id)")
      }
      own.adopt(identity)
      return source
    }
    try own.replace(in: destination)
    try destination.run("DELETE FROM migration WHERE kind = 1", [])
    try destination.run("DELETE FROM erasure", [])
    let copy = StoreCopy(from: source, to: destination, through: revision)
    try copy.dataMigrations(through: revision)
    try copy.erasures()
    try copy.tables()
  }

  /// The erasures that it lists.
  ///
  /// Damage elsewhere in it does not matter here: the next leader sends another catalog.
  func erasures() throws -> [ErasureLedger.Entry] { try image.read(ErasureLedger.entries) }

  /// The lineages of the history, the first one first.
  func lineages() throws -> [Lineage] { try image.read(Lineage.all) }

  /// Verifies all of it; O(rows).
  func verify() throws { try image.verify() }
}

/// The bytes of an ``ArchiveImage``, as they were read from an archive.
struct ArchivedImage: Sendable {
  private let bytes: [UInt8]
  private let name: String
  private let archive: String

  /// - Parameter name: What it is, for errors.
  init(_ bytes: [UInt8], _ name: String, in archive: String) {
    (self.bytes, self.name, self.archive) = (bytes, name, archive)
  }

  /// Verifies every row that has a hash; O(rows).
  func verify() throws { try read(Self.verifyRows) }

  static func verifyRows(of source: Connection) throws {
    for table in HashedTable.all { try table.verify(source) }
  }

  /// Reads it in memory; throws `ArchiveError` for what is wrong with it.
  func read<R>(_ body: (Connection) throws -> R) throws -> R {
    do {
      let connection = try Connection(image: bytes)
      try RestoredFile.check(connection)
      return try body(connection)
    } catch {
      let finding = try ArchiveError(of: archive, foundBy: error)
      guard case .damaged(let detail) = finding.reason else { throw finding }
      throw ArchiveError(.damaged("\(name): \(detail)"), archive: archive)
    }
  }
}

extension ArchiveError {
  /// What an error says about the archive whose contents were read; throws one of the disk of this machine.
  init(of archive: String, foundBy error: any Error) throws {
    switch error {
    case let error as ArchiveError:
      self = error
      switch error.reason {
      case .notFound(let what): self.init(.damaged("there is no \(what)"), archive: archive)
      case .gap: self.init(.damaged(error.sentence), archive: archive)
      default: break
      }
    case let error as CorruptionError: self.init(.damaged(error.detail), archive: archive)
    case let error as PersistenceError: try self.init(of: archive, foundBy: error.reason)
    case let reason as PersistenceError.Reason:
      switch reason {
      case .feature(let feature): try self.init(of: archive, foundBy: feature)
      case .olderFormat(let found, let known):
        self.init(.olderFormat(found: found, known: known), archive: archive)
      case .newerFormat(let found, let known):
        self.init(.newerFormat(found: found, known: known), archive: archive)
      case .diskFull: throw reason
      case .damaged(let detail): self.init(.damaged(detail), archive: archive)
      default: self.init(.damaged(reason.sentence), archive: archive)
      }
    case let error as SQLiteError:
      let ofDisk: [ResultCode] = [.ioerr, .full, .cantOpen, .readOnly, .noMemory]
      if ofDisk.contains(error.code.primary) { throw error }
      self.init(.damaged("\(error)"), archive: archive)
    case is SystemError, is CancellationError: throw error
    default: self.init(.damaged("\(error)"), archive: archive)
    }
  }
}
