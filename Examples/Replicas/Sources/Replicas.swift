import Foundation
import Strata
import StrataArchive

/// A leader and two followers; the leader is killed, and a follower leads.
///
///     Replicas URL FOLDER          the demonstration
///     Replicas leader URL FILE     its leader, a process of its own
@main
struct Replicas {
  static func main() async throws {
    let arguments = Array(CommandLine.arguments.dropFirst())
    switch (arguments.first, arguments.count) {
    case ("leader", 3): try await placeOrders(Shop(url: arguments[1], file: arguments[2]))
    case (_, 2): try await Demonstration(url: arguments[0], folder: arguments[1]).run()
    default: fail("Run Scripts/replicas, which starts a server for it.")
    }
  }

  /// Places orders until it is killed, and says which of them the archive has.
  private static func placeOrders(_ shop: Shop) async throws {
    let store = ShopStore(try await shop.lead())
    for number in 1... {
      try await store.place(number)
      FileHandle.standardOutput.write(Data("replicated \(number)\n".utf8))
    }
  }
}

/// What `Scripts/replicas` shows.
struct Demonstration {
  let url: String
  let folder: String

  func run() async throws {
    let leader = try LeaderProcess(url, "\(folder)/leader.strata")
    defer { leader.kill() }
    // Its first order is in the archive then, and with it all that a follower needs.
    try leader.wait(for: 1)
    say("A leader places orders, each replicated before the next.")

    let first = try await Shop(url: url, file: "\(folder)/first.strata").follow()
    let second = try await Shop(url: url, file: "\(folder)/second.strata").follow()
    let stores = (ShopStore(first), ShopStore(second))
    try leader.wait(for: 200)
    try await first.reach(200, within: .seconds(10))
    try await second.reach(200, within: .seconds(10))
    say("Two followers have its orders as well, \(stores.0.state.db.orders.count) by now.")

    leader.kill()
    let acknowledged = leader.lastOrder
    say("The leader is killed. The last order that it called replicated is \(acknowledged).")

    let clock = ContinuousClock()
    let start = clock.now
    try await first.lead()
    let time = (clock.now - start).formatted(
      .units(allowed: [.seconds], fractionalPart: .show(length: 1))
    )
    say("The first follower leads after \(time); the lease was 1 s.")
    let orders = stores.0.state.db.orders
    for number in 1...acknowledged where orders[EntityID(number)] == nil {
      fail("order \(number) was replicated, and the new leader does not have it.")
    }

    let next = (orders.map(\.id.raw).max() ?? 0) + 1
    try await stores.0.place(next)
    try await second.reach(first.lead().revision, within: .seconds(10))
    guard stores.1.state.db.orders[EntityID(next)] != nil, stores.1.state.db == stores.0.state.db
    else { fail("the second follower does not have what the new leader has.") }
    say("It has all of them, places order \(next), and the second follower has that too.")

    let former = try await Shop(url: url, file: "\(folder)/leader.strata").follow()
    let formerStore = ShopStore(former)
    guard formerStore.state.db == stores.0.state.db else { fail("the old file differs.") }
    let report = former.report.archive?.setAside.map {
      "What only it had is in \($0.quarantine.directory)."
    }
    say(
      "The file of the killed leader follows now. \(report ?? "It had nothing that the others lack.")"
    )

    try await former.close()
    try await second.close()
    try await first.close()
    print("\nNothing replicated was lost.")
  }

  private func say(_ text: String) { print("   \(text)") }
}

func fail(_ text: String) -> Never {
  FileHandle.standardError.write(Data("\nFAILED: \(text)\n".utf8))
  exit(1)
}
