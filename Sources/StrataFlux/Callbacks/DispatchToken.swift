/// Identifies one registered callback of one ``FluxDispatcher``.
///
/// A token is a value that can be stored, compared and sent anywhere. It keeps neither the callback
/// nor the dispatcher alive. It never identifies another callback: numbers are not reused, and
/// tokens of two dispatchers are never equal (in facebook/flux both would be `ID_1`).
public struct DispatchToken: Sendable {
  /// The name given at registration, or the empty string.
  public let name: String

  let issuer: Issuer
  let number: Int
  let place: String

  /// The identity of the dispatcher that returned a token.
  ///
  /// Tokens hold it, so its address is not reused while one exists, and a token of a deallocated
  /// dispatcher never matches a later dispatcher.
  final class Issuer: Sendable {}
}

extension DispatchToken: Hashable {
  /// Whether both identify the same registration; names are not compared.
  ///
  /// O(1).
  public static func == (left: DispatchToken, right: DispatchToken) -> Bool {
    left.number == right.number && left.issuer === right.issuer
  }

  /// Hashes the identity of the registration.
  ///
  /// O(1).
  public func hash(into hasher: inout Hasher) {
    hasher.combine(number)
    hasher.combine(ObjectIdentifier(issuer))
  }
}

extension DispatchToken: CustomStringConvertible {
  /// The name given at registration, or the place of registration and the number of the callback.
  public var description: String {
    name.isEmpty ? "\(place) (callback \(number))" : name
  }
}
