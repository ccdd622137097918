import CBenchmarks
import Foundation

/// On what the figures were taken: enough to judge them, nothing that names a machine or a person.
struct Environment: Codable {
  var system: String
  var cores: Int
  var memoryGiB: Int
  var sqlite: String
  var date: String
  var peers: Bool

  static func current() -> Environment {
    let process = ProcessInfo.processInfo
    var isMeasuredBesideGRDB = false
    #if GRDB_PEER
      isMeasuredBesideGRDB = true
    #endif
    return Environment(
      system: process.operatingSystemVersionString,
      cores: process.activeProcessorCount,
      memoryGiB: Int((Double(process.physicalMemory) / 1_073_741_824).rounded()),
      sqlite: String(cString: sqlite3_libversion()),
      date: String(Date().formatted(.iso8601).prefix(10)),
      peers: isMeasuredBesideGRDB
    )
  }

  var sentence: String {
    """
    Taken \(date) on \(system), \(cores) cores, \(memoryGiB) GiB, SQLite \(sqlite), release build. \
    Single times say as much about the machine as about the code; compare ratios.
    """
  }
}
