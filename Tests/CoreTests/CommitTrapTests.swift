import StrataBase
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

  @Test func `two stores in opposite orders trap with both places, and one order is legal`() async {
    let result = await #expect(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let (one, other) = (LibraryStore(), LibraryStore())
      for _ in 0..<2 {
        one.commit(fileID: "Outer", function: "a()", line: 1) { _ in
          other.commit(fileID: "Inner", function: "b()", line: 2) { $0.count += 1 }
        }
      }
      StandardError.write("one order is legal\n")
      other.commit(fileID: "Outer", function: "c()", line: 3) { _ in
        one.commit(fileID: "Inner", function: "d()", line: 4) { $0.count += 1 }
      }
    }
    let text = result?.standardErrorContent.text ?? ""
    #expect(text.contains("one order is legal"))
    #expect(text.contains("the commit at Inner:4 d() is inside the one at Outer:3 c()"))
    #expect(text.contains("the commit at Inner:2 b() is inside the one at Outer:1 a()"))
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
