import Foundation

#if GRDB_PEER
  import GRDB
#endif

/// The peers of a launch: each opens a file and reads one user.
enum LaunchPeerKind: String, CaseIterable, Sendable {
  case grdb
  case lmdb

  static var available: [LaunchPeerKind] {
    allCases.filter { $0 == .grdb ? isGRDBThere : LMDBPeer.isThere }
  }

  var label: String {
    switch self {
    case .grdb: "GRDB, open and fetchOne, Codable record"
    case .lmdb: "LMDB, open and get"
    }
  }

  func write(_ users: [PlainUser], to path: String) throws {
    switch self {
    #if GRDB_PEER
      case .grdb: _ = try GRDBPeer(users, path) { $0 }
    #else
      case .grdb: fatalError("A quick run does not include GRDB.")
    #endif
    case .lmdb: _ = try LMDBPeer(users, path, isSynced: false)
    }
  }

  /// Opens the file and reads a user; false if it is not there.
  func read(_ number: Int64, from path: String) throws -> Bool {
    switch self {
    #if GRDB_PEER
      case .grdb:
        return try GRDBPeer<PlainUser>.open(path).read {
          try PlainUser.fetchOne($0, key: number) != nil
        }
    #else
      case .grdb: return false
    #endif
    case .lmdb: return try LMDBPeer.read(number, from: path)
    }
  }
}

/// Whether this build has GRDB; a quick run does not.
var isGRDBThere: Bool {
  #if GRDB_PEER
    true
  #else
    false
  #endif
}
