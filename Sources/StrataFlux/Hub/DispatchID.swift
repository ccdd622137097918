/// Identifies one dispatch of one hub.
///
/// Two hubs can have the same name, so the transaction alone is not unique.
struct DispatchID: Sendable {
  let hub: Dispatcher.Identity
  let transaction: String

  /// The dispatch that the running code belongs to.
  ///
  /// Tasks created by an operation inherit it; blocks on a dispatch queue do not.
  @TaskLocal static var current: DispatchID?
}
