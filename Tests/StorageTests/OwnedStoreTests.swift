import Foundation
import StrataInspection
import StrataJournal
import StrataMaintaining
import StrataRecords
import StrataSQLite
import StrataStorage
import TestSupport
import Testing

/// A store that is written to by one call, as by a command.
struct OwnedStoreTests {
  private let directory: TemporaryDirectory
  private let path: String

  init() throws {
    directory = try TemporaryDirectory()
    path = directory.path("app.strata")
    _ = try Self.addition(of: 1).create(path)
  }

  private static func addition(of number: Int64) -> EntityAddition {
    var addition = EntityAddition(to: "users", named: "add")
    _ = addition.add(Array("\(number)".utf8), [.init("id", .string("\(number)"))])
    return addition
  }

  @Test func `what a full disk leaves in the WAL was committed, and the call says so`() throws {
    let vfs = try FaultVFS(name: "owned-store-full")
    vfs.failNext(.write, in: .database, code: .full, times: .sticky)
    var configuration = PersistenceConfiguration()
    configuration.vfs = vfs.name
    let counts = try Self.addition(of: 2).write(to: path, configuration)
    #expect(counts.inserted == 1 && counts.revision == 1)
    #expect(vfs.failureCount > 0)
    #expect(try Inspector(path: path).query(\.last.revision) == 1)
    #expect(try Self.addition(of: 2).write(to: path).unchanged == 1)
  }

  @Test func `the holes of a WAL stay holes`() throws {
    let connection = try Connection(path: path, mode: .readWrite)
    connection.checkpointsOnClose = .never
    try connection.configureWriter(newFile: FileHeader(applicationID: StoreHeader.applicationID))
    try connection.execute("UPDATE chunk SET body = body")
    let wal = path + "-wal"
    #expect(truncate(wal, 1 << 30) == 0)
    try connection.rewriteWAL()
    var status = stat()
    #expect(lstat(wal, &status) == 0 && status.st_size == 1 << 30)
    #expect(Int64(status.st_blocks) * 512 < 1 << 20)
    try connection.close()
  }
}
