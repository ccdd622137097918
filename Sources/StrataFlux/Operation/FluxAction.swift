/// An event that stores respond to, such as a tap or a message.
///
/// ```swift
/// enum CounterAction: FluxAction {
///   case increase
///   case decrease
/// }
/// ```
///
/// A ``Dispatcher`` sends it to every store with this action type. Make it `Codable` so that
/// `RecorderMiddleware` can export its recordings.
public protocol FluxAction: Sendable {}
