import CBenchmarks
import Foundation

/// The system of a run: what is needed to interpret the results, without the name of a machine or a person.
struct Environment: Codable {
  var system: String
  var cores: Int
  var memoryGiB: Int
  var sqlite: String
  var date: String
  var peers: Bool

  static func current() -> Environment {
    let process = ProcessInfo.processInfo
    var isComparedWithGRDB = false
    #if GRDB_PEER
      isComparedWithGRDB = true
    #endif
    return Environment(
      system: process.operatingSystemVersionString,
      cores: process.activeProcessorCount,
      memoryGiB: Int((Double(process.physicalMemory) / 1_073_741_824).rounded()),
      sqlite: String(cString: sqlite3_libversion()),
      date: String(Date().formatted(.iso8601).prefix(10)),
      peers: isComparedWithGRDB
    )
  }

  var sentence: String {
    """
    Measured on \(date) with \(system), \(cores) cores, \(memoryGiB) GiB, SQLite \(sqlite), release \
    build. Times depend on the machine as much as on the code; compare ratios.
    """
  }
}
