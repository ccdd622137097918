import StrataBase
import StrataCore
import TestSupport
import Testing

/// A commit moves its edit into the version that it makes: nothing of it is leaked or freed twice.
@Suite struct CommitLifetimeTests {
  /// Counts the objects of one test that are alive.
  private final class Token: Sendable {
    let alive: Lock<Int>

    init(_ alive: Lock<Int>) {
      self.alive = alive
      alive.withLock { $0 += 1 }
    }

    deinit { alive.withLock { $0 -= 1 } }
  }

  private struct Kept: StateType {
    var token: Token
    var text = ""
  }

  private struct Refused: Error {}

  private let alive = Lock(0)
  private let key = CommitAttachmentKey<Token>()
  private let other = CommitAttachmentKey<Token>()

  private func count() -> Int { alive.withLock { $0 } }

  @Test func `a store holds the present state and the one before it`() {
    do {
      let store = Store<Kept, Never>(initialState: Kept(token: Token(alive)))
      for number in 1...10 {
        store.commit("a name that is too long to be stored in place \(number)") {
          $0.token = Token(alive)
          $0.text = "a text that is too long to be stored in place \(number)"
        }
        #expect(count() == 2)
      }
    }
    #expect(count() == 0)
  }

  @Test func `attachments are held with the version they belong to`() {
    do {
      let store = Store<Kept, Never>(initialState: Kept(token: Token(alive)))
      for _ in 1...10 {
        store.commit { (state: inout Kept, attachments: inout CommitAttachments) in
          state.token = Token(alive)
          attachments[key] = Token(alive)
          attachments[other] = Token(alive)
          attachments[key] = Token(alive)
        }
        #expect(count() == 4)
      }
      #expect(store.changes.attachments[key] != nil)
      #expect(store.changes.attachments[other] != nil)
    }
    #expect(count() == 0)
  }

  @Test func `a commit that is rolled back, refused or changes nothing leaves nothing behind`() {
    do {
      let store = Store<Kept, Never>(initialState: Kept(token: Token(alive)))
      store.add(
        middleware: .modify { edit in if edit.state.text == "refuse" { throw Refused() } }
      )
      for _ in 1...5 {
        #expect(throws: Refused.self) {
          try store.commit {
            $0.token = Token(alive)
            throw Refused()
          }
        }
        #expect(throws: Refused.self) {
          try store.commit { state throws in
            state.token = Token(alive)
            state.text = "refuse"
          }
        }
        store.commit { _ = Token($0.token.alive) }
        #expect(count() == 1)
      }
    }
    #expect(count() == 0)
  }
}

/// The values that are attached to a commit, each under its key.
@Suite struct CommitAttachmentTests {
  @Test func `an attached value is replaced and removed under its key alone`() {
    let keys = (0..<5).map { _ in CommitAttachmentKey<Int>() }
    let store = LibraryStore()
    store.commit { state, attachments in
      state.count = 1
      for (number, key) in keys.enumerated() { attachments[key] = number }
      attachments[keys[2]] = nil
      attachments[keys[0]] = 10
      attachments[keys[4]] = nil
      attachments[keys[4]] = nil
      attachments[keys[3]] = 13
    }
    #expect(keys.map { store.changes.attachments[$0] } == [10, 1, nil, 13, nil])
  }
}
