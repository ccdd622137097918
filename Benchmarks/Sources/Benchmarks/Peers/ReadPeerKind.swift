import Foundation

#if GRDB_PEER
  import GRDB
#endif

/// The peers of a restore: each reads all users from a file into a dictionary.
enum ReadPeerKind: String, CaseIterable, Sendable {
  case grdbCodable = "grdb-codable"
  case grdbFlat = "grdb-flat"
  case json = "json"

  static var available: [ReadPeerKind] {
    #if GRDB_PEER
      allCases
    #else
      [.json]
    #endif
  }

  var label: String {
    switch self {
    case .grdbCodable: "GRDB fetchAll into a Dictionary, Codable record"
    case .grdbFlat: "GRDB fetchAll into a Dictionary, flat record"
    case .json: "JSON file into a Dictionary"
    }
  }

  /// How many times as fast a restore should be.
  func goal(_ form: UserForm) -> Double {
    switch (self, form) {
    case (.grdbCodable, .codable): 7.5
    case (.grdbFlat, .codable): 2.4
    case (.json, .codable): 7
    case (.grdbCodable, .entity): 16
    case (.grdbFlat, .entity): 5.5
    case (.json, .entity): 17
    }
  }

  /// Writes the users to a file.
  func write(_ users: [PlainUser], to path: String) throws {
    switch self {
    case .json: try JSONEncoder().encode(users).write(to: URL(fileURLWithPath: path))
    #if GRDB_PEER
      case .grdbCodable: _ = try GRDBPeer(users, path) { $0 }
      case .grdbFlat: _ = try GRDBPeer(users, path) { FlatUser($0) }
    #else
      case .grdbCodable, .grdbFlat: fatalError("A quick run does not include GRDB.")
    #endif
    }
  }

  /// Opens the file, reads all users and returns their number.
  func read(_ path: String) throws -> Int {
    switch self {
    case .json:
      let data = try Data(contentsOf: URL(fileURLWithPath: path))
      let users = try JSONDecoder().decode([PlainUser].self, from: data)
      return Dictionary(uniqueKeysWithValues: users.map { ($0.id, $0) }).count
    #if GRDB_PEER
      case .grdbCodable: return try fetch(PlainUser.self, path)
      case .grdbFlat: return try fetch(FlatUser.self, path)
    #else
      case .grdbCodable, .grdbFlat: return 0
    #endif
    }
  }

  #if GRDB_PEER
    private func fetch<Record: UserRecord>(_ type: Record.Type, _ path: String) throws -> Int {
      let records = try GRDBPeer<Record>.open(path).read { try Record.fetchAll($0) }
      return Dictionary(uniqueKeysWithValues: records.map { ($0.id, $0) }).count
    }
  #endif
}
