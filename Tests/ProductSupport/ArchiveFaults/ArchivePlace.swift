package import Foundation
package import StrataArchiving

/// Where the archive of a fault run is, and what can be done to it.
package protocol ArchivePlace: Sendable {
  /// The archive as the process of one machine reaches it.
  func archive(of machine: Int) throws -> any Archive
  /// The archive without a network that fails.
  func direct() throws -> any Archive

  /// Keeps a copy of everything that the archive has.
  func keepCopy() async throws
  /// Returns to the copy, if there is one: the archive loses what was added since.
  func goBack() async throws

  /// Whether something that the archive keeps contains a text.
  func holds(_ text: String) async throws -> Bool

  /// Moves the clock that a machine's leases run by.
  func moveClock(of machine: Int, by seconds: TimeInterval) async throws
  /// Sets all clocks right.
  func setClocks() async throws

  /// Lets the network of a machine fail in a way that a number chooses, and names it; nil if there is no network.
  func disturb(_ machine: Int, _ number: Int) -> String?
  /// Lets the network of a machine work.
  func settle(_ machine: Int)
}

extension ArchivePlace {
  package func disturb(_ machine: Int, _ number: Int) -> String? { nil }
  package func settle(_ machine: Int) {}
}
