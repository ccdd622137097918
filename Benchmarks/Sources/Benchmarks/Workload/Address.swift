/// The nested part of a user.
struct Address: Codable, Equatable, Sendable {
  var street: String
  var city: String
  var zip: String
}
