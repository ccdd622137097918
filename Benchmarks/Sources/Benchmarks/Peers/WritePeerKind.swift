/// The peers of a persisted commit.
enum WritePeerKind: String, CaseIterable, Sendable {
  case handInPlace = "hand-update"
  case handAppended = "hand-append"
  case grdbCodable = "grdb-codable"
  case grdbFlat = "grdb-flat"
  case lmdb

  static var available: [WritePeerKind] {
    allCases.filter { peer in
      switch peer {
      case .handInPlace, .handAppended: true
      case .grdbCodable, .grdbFlat: isGRDBThere
      case .lmdb: LMDBPeer.isThere
      }
    }
  }

  var label: String {
    switch self {
    case .handInPlace: "SQLite C API, UPDATE of the row"
    case .handAppended: "SQLite C API, INSERT into a log"
    case .grdbCodable: "GRDB update, Codable record"
    case .grdbFlat: "GRDB update, flat record"
    case .lmdb: "LMDB put of packed fields"
    }
  }

  /// How many times as fast a persisted update should be.
  func goal(batch: Int, _ form: UserForm) -> Double? {
    switch (self, form) {
    case (.grdbCodable, .codable): batch == 1 ? 5.5 : 9
    case (.grdbCodable, .entity): batch == 1 ? 8 : 15
    case (.grdbFlat, .codable): batch == 1 ? nil : 12
    case (.handAppended, .codable): batch == 1 ? 1.5 : 0.6
    case (.handAppended, .entity), (.grdbFlat, .entity), (.handInPlace, _), (.lmdb, _): nil
    }
  }

  func make(_ users: [PlainUser], in folder: Folder) throws -> any WritePeer {
    let path = folder.file("\(rawValue).sqlite")
    switch self {
    case .handInPlace: return try SQLiteRowsPeer(users, path)
    case .handAppended: return try SQLiteLogPeer(users, path)
    case .lmdb: return try LMDBPeer(users, path, isSynced: false)
    #if GRDB_PEER
      case .grdbCodable: return try GRDBPeer(users, path) { $0 }
      case .grdbFlat: return try GRDBPeer(users, path) { FlatUser($0) }
    #else
      case .grdbCodable, .grdbFlat: fatalError("A quick run does not include GRDB.")
    #endif
    }
  }
}
