/// Something that happened and that stores may answer, such as a tap or a message.
///
/// ```swift
/// enum CounterAction: FluxAction {
///   case increase
///   case decrease
/// }
/// ```
///
/// A ``Dispatcher`` gives it to every store whose action type it is. Make it `Codable` for
/// ``RecorderMiddleware`` to export what it records.
public protocol FluxAction: Sendable {}
