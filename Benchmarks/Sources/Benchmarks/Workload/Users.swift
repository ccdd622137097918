import Foundation
import Strata

/// Makes users from their numbers, the same in every process.
enum Users {
  /// The users 0..<count.
  static func make(_ count: Int) -> [User] { (0..<Int64(count)).map { make($0) } }

  /// The same users for the peers.
  static func makePlain(_ count: Int) -> [PlainUser] {
    (0..<Int64(count)).map { PlainUser(make($0)) }
  }

  static func make(_ number: Int64) -> User {
    var random = SplitMix(seed: UInt64(bitPattern: number))
    return User(
      id: User.ID(number),
      name: "user \(padded(number, to: 7))",
      email: "user\(padded(number, to: 7))@example.com",
      age: Int(random.next() % 80) + 18,
      score: Double(random.next() % 100_000) / 100,
      isActive: random.next() % 2 == 0,
      createdAt: Date(timeIntervalSinceReferenceDate: Double(random.next() % 800_000_000)),
      tags: (0..<3).map { _ in "tag\(random.next() % 100)" },
      address: Address(
        street: "\(random.next() % 200) Long Meadow Street",
        city: "city \(random.next() % 1_000)",
        zip: padded(Int64(random.next() % 100_000), to: 5)
      )
    )
  }

  private static func padded(_ number: Int64, to width: Int) -> String {
    let digits = "\(number)"
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
