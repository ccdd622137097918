/// What a connection to the page may take.
package struct ConnectionBounds: Sendable {
  /// The bytes of the head of a request.
  package var bytes = 8_192
  /// How long a head may take from its first byte.
  package var time = Duration.seconds(5)
  /// How long a connection may wait without a request.
  package var idle = Duration.seconds(60)

  package init() {}
}
