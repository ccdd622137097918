import Foundation

#if LMDB_PEER
  import CBenchmarksLMDB

  /// LMDB with a user's packed fields behind its number: the least that a store can do.
  final class LMDBPeer: WritePeer {
    static let isThere = true

    struct Failure: Error, CustomStringConvertible {
      var description: String
    }

    private let environment: OpaquePointer
    private let table: MDB_dbi
    private var users: [PlainUser]

    /// - Parameter isSynced: whether each transaction is on disk when it ends.
    init(_ users: [PlainUser], _ path: String, isSynced: Bool) throws {
      self.users = users
      environment = try Self.open(path, isSynced ? 0 : UInt32(MDB_NOSYNC))
      var table: MDB_dbi = 0
      try Self.transaction(environment) { transaction in
        try Self.check(mdb_dbi_open(transaction, nil, UInt32(MDB_CREATE | MDB_INTEGERKEY), &table))
        for user in users { try Self.put(user, transaction, table) }
      }
      self.table = table
    }

    deinit {
      mdb_env_sync(environment, 1)
      mdb_env_close(environment)
    }

    func update(_ numbers: ArraySlice<Int64>) throws {
      try Self.transaction(environment) { transaction in
        for number in numbers {
          users[Int(number)].age += 1
          try Self.put(users[Int(number)], transaction, table)
        }
      }
    }

    /// Opens a file and reads a user; false if it is not there.
    static func read(_ number: Int64, from path: String) throws -> Bool {
      let environment = try open(path, UInt32(MDB_RDONLY))
      defer { mdb_env_close(environment) }
      return try transaction(environment, UInt32(MDB_RDONLY)) { transaction in
        var table: MDB_dbi = 0
        try check(mdb_dbi_open(transaction, nil, UInt32(MDB_INTEGERKEY), &table))
        return try withValue(of: number) { key in
          var found = MDB_val()
          let code = mdb_get(transaction, table, &key, &found)
          if code == MDB_NOTFOUND { return false }
          try check(code)
          return found.mv_size > 0
        }
      }
    }

    private static func open(_ path: String, _ flags: UInt32) throws -> OpaquePointer {
      var environment: OpaquePointer?
      try check(mdb_env_create(&environment))
      guard let environment else { throw Failure(description: "LMDB made no environment.") }
      try check(mdb_env_set_mapsize(environment, 4 << 30))
      try check(mdb_env_open(environment, path, flags | UInt32(MDB_NOSUBDIR), 0o600))
      return environment
    }

    private static func transaction<R>(
      _ environment: OpaquePointer,
      _ flags: UInt32 = 0,
      _ body: (OpaquePointer) throws -> R
    ) throws -> R {
      var transaction: OpaquePointer?
      try check(mdb_txn_begin(environment, nil, flags, &transaction))
      guard let transaction else { throw Failure(description: "LMDB began no transaction.") }
      let result: R
      do { result = try body(transaction) } catch {
        mdb_txn_abort(transaction)
        throw error
      }
      try check(mdb_txn_commit(transaction))
      return result
    }

    private static func put(
      _ user: PlainUser,
      _ transaction: OpaquePointer,
      _ table: MDB_dbi
    ) throws {
      var bytes = PackedUser.bytes(of: user)
      try bytes.withUnsafeMutableBytes { bytes in
        try withValue(of: user.id) { key in
          var value = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
          try check(mdb_put(transaction, table, &key, &value, 0))
        }
      }
    }

    private static func withValue<R>(
      of number: Int64,
      _ body: (inout MDB_val) throws -> R
    ) rethrows -> R {
      var number = number
      return try withUnsafeMutableBytes(of: &number) { bytes in
        var key = MDB_val(mv_size: bytes.count, mv_data: bytes.baseAddress)
        return try body(&key)
      }
    }

    private static func check(_ code: Int32) throws {
      guard code != MDB_SUCCESS else { return }
      throw Failure(description: String(cString: mdb_strerror(code)))
    }
  }
#else
  /// Without LMDB's headers there is no such peer.
  final class LMDBPeer: WritePeer {
    static let isThere = false

    init(_ users: [PlainUser], _ path: String, isSynced: Bool) throws {
      fatalError("This build has no LMDB.")
    }

    func update(_ numbers: ArraySlice<Int64>) throws {}

    static func read(_ number: Int64, from path: String) throws -> Bool { false }
  }
#endif
