/// The peers of a persisted commit.
enum WritePeerKind: String, CaseIterable, Sendable {
  case handInPlace = "hand-update"
  case handAppended = "hand-append"
  case grdbCodable = "grdb-codable"
  case grdbFlat = "grdb-flat"

  static var available: [WritePeerKind] {
    #if GRDB_PEER
      allCases
    #else
      [.handInPlace, .handAppended]
    #endif
  }

  var label: String {
    switch self {
    case .handInPlace: "SQLite C API, UPDATE of the row"
    case .handAppended: "SQLite C API, INSERT into a log"
    case .grdbCodable: "GRDB update, Codable record"
    case .grdbFlat: "GRDB update, flat record"
    }
  }

  func goal(batch: Int) -> Double? {
    switch self {
    case .grdbCodable: batch == 1 ? 8 : 15
    case .grdbFlat: batch == 1 ? nil : 12
    case .handAppended: batch == 1 ? 1.5 : 0.6
    case .handInPlace: nil
    }
  }

  func make(_ users: [PlainUser], in folder: Folder) throws -> any WritePeer {
    let path = folder.file("\(rawValue).sqlite")
    switch self {
    case .handInPlace: return try SQLiteRowsPeer(users, path)
    case .handAppended: return try SQLiteLogPeer(users, path)
    #if GRDB_PEER
      case .grdbCodable: return try GRDBPeer(users, path) { $0 }
      case .grdbFlat: return try GRDBPeer(users, path) { FlatUser($0) }
    #else
      case .grdbCodable, .grdbFlat: fatalError("A quick run does not include GRDB.")
    #endif
    }
  }
}
