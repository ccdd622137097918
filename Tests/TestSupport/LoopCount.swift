import Foundation

/// The number of rounds of a long test: `usual`, or the value of an environment variable.
///
/// Runs with a sanitizer set smaller values, `Scripts/torture` sets larger ones.
package func loopCount(_ variable: String, _ usual: Int) -> Int {
  ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? usual
}
