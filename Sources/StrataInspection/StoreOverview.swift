package import Foundation
import StrataBase
package import StrataJournal

/// What a store is and its progress, without a look at its deltas and entities.
package struct StoreOverview: Codable, Sendable, Equatable {
  /// A snapshot that has a name.
  package struct Named: Codable, Sendable, Equatable {
    package var name: String
    package var revision: Int64
  }

  package var path: String
  package var store: UUID
  package var application: String?
  package var lineage: Lineage.ID
  /// The last revision and its time.
  package var revision: Int64
  package var time: Date
  /// The oldest revision whose entities can be read.
  package var oldest: Int64
  /// The first revision of the journal; nil if it is empty.
  package var first: Int64?
  package var tables: [String]
  /// The names of persisted values.
  package var values: [String]
  package var snapshots: [Named]
  /// `atRest`, `copy` or `live`: without a writer, left behind by one, or with one.
  package var mode: String
}

extension Inspector {
  /// An overview; O(snapshots).
  package func overview() throws(PersistenceError) -> StoreOverview {
    try query { view in
      let (tables, values) = view.tables.splitIntoTablesAndValues()
      return StoreOverview(
        path: path.file,
        store: view.identity.id,
        application: view.identity.application,
        lineage: view.identity.lineage,
        revision: view.last.revision.number,
        time: try view.time(of: view.last.revision),
        oldest: view.oldest.number,
        first: view.first?.number,
        tables: tables,
        values: values,
        snapshots: view.names.map { .init(name: $0.name, revision: $0.revision.number) },
        mode: access.mode.rawValue
      )
    }
  }

  /// Whether it reads a copy that it made of a store that was left behind.
  package var isOfCopy: Bool { access.mode == .copy }
}

/// The signs of a write that are visible from outside: sizes and times of the store's files.
///
/// It opens nothing. Two writes within one tick of the file system's clock look like one.
package struct StoreFileState: Equatable, Sendable {
  private let times: [Int64]

  package init(_ path: String) {
    times = ["", "-wal"].flatMap { suffix -> [Int64] in
      var status = stat()
      guard stat(path + suffix, &status) == 0 else { return [Int64(-1)] }
      #if canImport(Darwin)
        let time = status.st_mtimespec
      #else
        let time = status.st_mtim
      #endif
      return [
        Int64(status.st_ino), Int64(status.st_size), Int64(time.tv_sec), Int64(time.tv_nsec),
      ]
    }
  }
}
