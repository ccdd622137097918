import Foundation

/// A simple store: a dictionary behind a lock, with a copy of the previous value for comparisons.
final class DictionaryStore: @unchecked Sendable {
  private let lock = NSLock()
  private var users: [Int64: PlainUser]
  private(set) var previous: [Int64: PlainUser] = [:]

  init(_ users: [PlainUser]) {
    self.users = Dictionary(uniqueKeysWithValues: users.map { ($0.id, $0) })
  }

  func commit(_ change: (inout [Int64: PlainUser]) -> Void) {
    lock.lock()
    defer { lock.unlock() }
    previous = users
    change(&users)
  }
}
