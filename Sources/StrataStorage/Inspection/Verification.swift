/// The result of verifying a file: a list of checks, each with what it found.
package struct Verification: Codable, Sendable, Equatable {
  package struct Check: Codable, Sendable, Equatable {
    package var name: String
    package var passed: Bool
    package var detail: String
  }

  package var path: String
  package var checks: [Check] = []

  /// Whether every check passed.
  package var isSound: Bool { checks.allSatisfy(\.passed) }
}

extension Verification {
  /// Runs a check that returns what it found, or throws what is wrong.
  mutating func run(_ name: String, _ check: () throws -> String) {
    do {
      checks.append(Check(name: name, passed: true, detail: try check()))
    } catch {
      checks.append(Check(name: name, passed: false, detail: "\(error)"))
    }
  }
}
