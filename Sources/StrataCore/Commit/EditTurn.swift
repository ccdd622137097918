/// The turn to make the next version: what the edit lock hands from one commit to the next.
///
/// It has a byte, as the thread sanitizer takes touching an empty value for touching its owner.
@usableFromInline
struct EditTurn: Sendable {
  private var byte: UInt8 = 0

  @usableFromInline
  init() {}
}
