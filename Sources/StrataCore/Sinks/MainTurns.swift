import Dispatch
import StrataBase

/// The deliveries of one subscriber on the main actor: at once if the caller is there and none of them
/// waits, otherwise on the main queue, which keeps their order.
@usableFromInline
final class MainTurns: Sendable {
  /// Marks the main queue.
  ///
  /// A thread cannot be asked instead: on Linux the main queue moves to another one once `main` waits.
  private static let mark = Lock(markMainQueue())

  /// How many deliveries wait or run.
  private let pending = Lock(0)

  private static func markMainQueue() -> DispatchSpecificKey<Bool> {
    let key = DispatchSpecificKey<Bool>()
    DispatchQueue.main.setSpecific(key: key, value: true)
    return key
  }

  /// Whether the caller is on the main queue, so that it may run code of the main actor.
  static var isOnMain: Bool {
    mark.withLock { DispatchQueue.getSpecific(key: $0) } == true
  }

  func run(_ action: @escaping @Sendable () -> Void) {
    let isOnMain = Self.isOnMain
    let runsNow = pending.withLock { pending in
      pending += 1
      return isOnMain && pending == 1
    }
    guard runsNow else {
      return DispatchQueue.main.async {
        action()
        self.end()
      }
    }
    action()
    end()
  }

  /// Takes the first turn: until ``end()``, everything is enqueued.
  func begin() { pending.withLock { $0 += 1 } }

  func end() { pending.withLock { $0 -= 1 } }
}
