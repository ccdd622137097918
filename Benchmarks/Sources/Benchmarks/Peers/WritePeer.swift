/// Something else that keeps users in a file.
protocol WritePeer: AnyObject {
  /// Raises the age of these users, in one transaction.
  func update(_ numbers: ArraySlice<Int64>) throws
}

/// The peers a commit is written beside.
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
    case .handInPlace: "SQLite by hand, UPDATE of the row"
    case .handAppended: "SQLite by hand, INSERT into a log"
    case .grdbCodable: "GRDB update, Codable record"
    case .grdbFlat: "GRDB update, flat record"
    }
  }

  func goal(batch: Int) -> Double? {
    switch self {
    case .grdbCodable: batch == 1 ? 10 : 20
    case .grdbFlat: batch == 1 ? nil : 20
    case .handInPlace, .handAppended: nil
    }
  }

  func make(_ users: [PlainUser], in folder: Folder) throws -> any WritePeer {
    let path = folder.file("\(rawValue).sqlite")
    switch self {
    case .handInPlace: return try HandRows(users, path)
    case .handAppended: return try HandLog(users, path)
    #if GRDB_PEER
      case .grdbCodable: return try GRDBPeer(users, path) { $0 }
      case .grdbFlat: return try GRDBPeer(users, path) { FlatUser($0) }
    #else
      case .grdbCodable, .grdbFlat: fatalError("GRDB is not part of the quick form.")
    #endif
    }
  }
}
