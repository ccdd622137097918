/// How long a fault lasts.
package enum FaultDuration: String, Sendable, CaseIterable {
  /// One operation fails; the next one succeeds.
  case once
  /// Every operation fails until `heal()`.
  case sticky
}
