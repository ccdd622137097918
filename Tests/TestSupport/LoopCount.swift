import Foundation

/// How often a long test goes round: `usual`, or fewer where the environment says so, as it does for
/// the sanitizers.
package func loopCount(_ variable: String, _ usual: Int) -> Int {
  ProcessInfo.processInfo.environment[variable].flatMap { Int($0) } ?? usual
}
