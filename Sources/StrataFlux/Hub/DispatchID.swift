/// Identifies one dispatch of one hub.
///
/// Two hubs can have the same name, so the transaction alone is not unique.
package struct DispatchID: Sendable {
  package let hub: Dispatcher.Identity
  package let transaction: String

  /// The dispatch that the running code belongs to.
  ///
  /// Tasks created by an operation inherit it; blocks on a dispatch queue do not.
  @TaskLocal package static var current: DispatchID?
}
