/// The result of verifying a file: a list of checks, each with what it found.
package struct Verification: Codable, Sendable, Equatable {
  package struct Check: Codable, Sendable, Equatable {
    package var name: String
    package var passed: Bool
    /// Whether what it found is no damage and still worth a look.
    package var isNote = false
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
    runNoting(name) { (try check(), isNote: false) }
  }

  /// Runs a check that may find something that is no damage and still worth a look.
  mutating func runNoting(_ name: String, _ check: () throws -> (detail: String, isNote: Bool)) {
    do {
      let (detail, isNote) = try check()
      checks.append(Check(name: name, passed: true, isNote: isNote, detail: detail))
    } catch {
      checks.append(Check(name: name, passed: false, detail: "\(error)"))
    }
  }
}
