import StrataCore
import TestSupport
import Testing

@Suite struct CommitTrapTests {
  @Test func `a commit inside a commit traps and says what to do`() async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let store = LibraryStore()
      store.commit { _ in store.commit { $0.count = 1 } }
    }
    #expect(
      result?.standardErrorContent.text.contains(
        "commit was called inside a commit of the same store. Do both edits in one closure"
      ) == true
    )
  }

  @Test func `a commit inside a hook traps and says what to do`() async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let store = LibraryStore()
      let hook = RecordingHook(
        "a",
        refuses: { _ in
          store.commit { $0.count += 1 }; return false
        }
      )
      store.hook(where: { $0 === hook }, orInstall: { hook })
      store.commit { $0.count = 1 }
    }
    #expect(
      result?.standardErrorContent.text.contains("commit was called inside a commit") == true
    )
  }

  @Test func `a refusal of a closure that cannot throw traps and says what to do`() async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let store = LibraryStore()
      let hook = RecordingHook("a", refuses: { _ in true })
      store.hook(where: { $0 === hook }, orInstall: { hook })
      store.commit("shelve") { $0.count = 1 }
    }
    let text = result?.standardErrorContent.text
    #expect(
      text?.contains("The commit \"shelve\" at CoreTests/CommitTrapTests.swift:") == true
    )
    #expect(text?.contains("was refused: the shelf is full.") == true)
    #expect(text?.contains("call it with `try commit`") == true)
  }

  @Test func `a refusal that does not fit the closure's error traps`() async {
    await #expect(processExitsWith: .failure) {
      struct Other: Error {}
      let store = LibraryStore()
      let hook = RecordingHook("a", refuses: { _ in true })
      store.hook(where: { $0 === hook }, orInstall: { hook })
      try store.commit { (state: inout LibraryState) throws(Other) in state.count = 1 }
    }
  }
}
