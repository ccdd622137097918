/// Names one registered callback of one ``FluxDispatcher``.
///
/// A token is a value that may be stored, compared and sent anywhere; it keeps neither the callback
/// nor the dispatcher alive. It never becomes the name of another callback: numbers are not reused,
/// and tokens of two dispatchers are never equal (in facebook/flux both would be `ID_1`).
public struct DispatchToken: Sendable {
  /// The name given at registration, or the empty string.
  public let name: String

  let dispatcher: DispatcherIdentity
  let number: Int
  let place: String
}

/// The identity of a dispatcher, outliving it inside tokens: an address held here cannot be reused,
/// so a token of a dispatcher that is gone never fits a later one.
final class DispatcherIdentity: Sendable {}

extension DispatchToken: Hashable {
  /// Whether both name the same registration; names are not compared.
  ///
  /// O(1).
  public static func == (left: DispatchToken, right: DispatchToken) -> Bool {
    left.number == right.number && left.dispatcher === right.dispatcher
  }

  /// Hashes the registration's identity.
  ///
  /// O(1).
  public func hash(into hasher: inout Hasher) {
    hasher.combine(number)
    hasher.combine(ObjectIdentifier(dispatcher))
  }
}

extension DispatchToken: CustomStringConvertible {
  /// The name given at registration, else the place of registration and the callback's number.
  public var description: String {
    name.isEmpty ? "\(place) (callback \(number))" : name
  }
}
