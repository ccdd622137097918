import Foundation

/// Prints the statistics of a long test, with its seed, if `STRATA_STATISTICS` is set.
package func printStatistics(_ text: @autoclosure () -> String) {
  guard ProcessInfo.processInfo.environment["STRATA_STATISTICS"] != nil else { return }
  FileHandle.standardError.write(Data("statistics: \(text())\n".utf8))
}
