import StrataCore
import StrataFlux
import StrataFluxRecorder
import TestSupport
import Testing

/// How a recorder changes the present: by explicit calls, and by the policy for actions dispatched
/// while another time is shown.
struct PresentTests {
  @Test func `a new action while travelling is refused and changes nothing`() async throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.increase, .increase)
    try recorded.recorder.back()
    let then = Latch()

    let transaction = recorded.hub.dispatch(CounterAction.add(50), mode: .sync) { then.open() }

    guard case .travelling? = transaction.error else {
      Issue.record("\(String(describing: transaction.error))")
      return
    }
    #expect(await then.isOpen())
    await #expect(throws: DispatchError.self) {
      try await recorded.hub.dispatch(CounterAction.add(50))
    }
    #expect(recorded.counts == [1, 1])
    #expect(recorded.recorder.entries.count == 2)
    try recorded.recorder.returnToPresent()
    #expect(recorded.counts == [2, 2])
  }

  @Test func `with the branching rule it gives up the future and follows`() throws {
    let recorded = try RecordedHub(travelPolicy: .branch)
    recorded.dispatch(.add(1), .add(10), .add(100))
    try recorded.recorder.back()
    try recorded.recorder.skip(1)

    recorded.dispatch(.add(5))

    #expect(recorded.counts == [15, 15])
    #expect(!recorded.recorder.isTravelling)
    #expect(
      recorded.recorder.entries.map { $0.action as? CounterAction } == [.add(10), .add(5)]
    )
    try recorded.recorder.back()
    #expect(recorded.counts == [10, 10])
  }

  @Test func `branching goes on from what is shown`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.add(1), .add(10))
    try recorded.recorder.back()

    try recorded.recorder.branch()

    #expect(recorded.recorder.entries.count == 1)
    recorded.dispatch(.add(5))
    #expect(recorded.counts == [6, 6])
    try recorded.recorder.jump(to: 0)
    #expect(recorded.counts == [0, 0])
  }

  @Test func `committing makes what is shown the base`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.add(1), .add(10))
    try recorded.recorder.back()

    try recorded.recorder.commit()

    #expect(recorded.counts == [1, 1])
    #expect(recorded.recorder.entries.isEmpty)
    #expect(try recorded.recorder.back() == false)
    recorded.dispatch(.add(5))
    try recorded.recorder.back()
    #expect(recorded.counts == [1, 1])
  }

  @Test func `rolling back makes the base the present`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.add(1))
    try recorded.recorder.commit()
    recorded.dispatch(.add(10), .add(100))

    try recorded.recorder.rollback()

    #expect(recorded.counts == [1, 1])
    #expect(recorded.recorder.entries.isEmpty)
    #expect(!recorded.recorder.isTravelling)
    recorded.dispatch(.add(5))
    #expect(recorded.counts == [6, 6])
  }

  @Test func `beyond the limit the oldest become part of the base`() throws {
    let recorded = try RecordedHub(limit: 3)
    recorded.dispatch(.add(1), .add(10), .add(100), .add(1000), .add(10000))

    #expect(recorded.recorder.entries.map(\.id) == [3, 4, 5])
    try recorded.recorder.jump(to: 0)
    #expect(recorded.counts == [11, 11])
    try recorded.recorder.skip(4)
    try recorded.recorder.jump(to: 3)
    #expect(recorded.counts == [10111, 10111])
  }

  @Test func `a locked recorder drops actions`() throws {
    let recorded = try RecordedHub()
    recorded.recorder.lock()

    let transaction = recorded.hub.dispatch(CounterAction.increase, mode: .sync)

    guard case .locked? = transaction.error else {
      Issue.record("\(String(describing: transaction.error))")
      return
    }
    #expect(recorded.recorder.isLocked)
    #expect(recorded.counts == [0, 0])
    recorded.recorder.unlock()
    recorded.dispatch(.increase)
    #expect(recorded.counts == [1, 1])
  }

  @Test func `what happens in a pause becomes one entry without an action`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.add(1))
    recorded.recorder.pause()
    recorded.dispatch(.add(10), .add(100))
    #expect(recorded.counts == [111, 111])
    #expect(recorded.recorder.isPaused && recorded.recorder.entries.count == 1)
    recorded.recorder.resume()
    recorded.dispatch(.add(1000))

    #expect(recorded.recorder.entries.count == 3)
    guard case .pause = recorded.recorder.entries[1].origin else {
      Issue.record("\(recorded.recorder.entries[1].origin)")
      return
    }
    try recorded.recorder.jump(to: 1)
    #expect(recorded.counts == [1, 1])
    try recorded.recorder.jump(to: 2)
    #expect(recorded.counts == [111, 111])
    #expect(throws: RecorderError.self) { try recorded.recorder.skip(1) }
  }

  @Test func `a pause in which nothing happened leaves no entry`() throws {
    let recorded = try RecordedHub()
    recorded.recorder.pause()
    recorded.recorder.resume()
    recorded.recorder.resume()
    #expect(recorded.recorder.entries.isEmpty)
  }

  @Test func `commits made while travelling are shown, and gone on return`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.add(1), .add(10))
    try recorded.recorder.back()

    recorded.a.commit { $0.count += 500 }
    #expect(recorded.counts == [501, 1])
    try recorded.recorder.forward()

    #expect(recorded.counts == [11, 11])
    #expect(recorded.recorder.entries.count == 2)
  }

  @Test func `they are gone after a step that changes another store alone`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.add(1))
    recorded.dispatch(.add(10), .add(100), to: "b")
    try recorded.recorder.back()
    recorded.a.commit { $0.count += 500 }
    #expect(recorded.counts == [501, 11])

    try recorded.recorder.back()

    #expect(recorded.counts == [1, 1])
  }

  @Test func `branching keeps them as an entry of their own`() throws {
    let recorded = try RecordedHub()
    recorded.dispatch(.add(1), .add(10))
    try recorded.recorder.back()
    recorded.a.commit { $0.count += 500 }

    try recorded.recorder.branch()

    #expect(recorded.counts == [501, 1])
    #expect(recorded.recorder.entries.map(\.stores) == [["a", "b"], ["a"]])
    try recorded.recorder.back()
    #expect(recorded.counts == [1, 1])
    try recorded.recorder.forward()
    #expect(recorded.counts == [501, 1])
  }

  @Test(arguments: [true, false])
  func `a state that one store refuses is shown in none`(isTravelling: Bool) throws {
    final class Refusing: CommitHook {
      typealias State = Counter
      let followsPreviews = true

      func editDidEnd(_ edit: inout Edit<Counter>) throws {
        if edit.trace.name == "recorder: travel", edit.state.count == 1 { throw TestError() }
      }
    }
    let recorded = try RecordedHub()
    recorded.b.hook(where: { (_: Refusing) in true }, orInstall: { Refusing() })
    recorded.dispatch(.add(1), .add(10), .add(100))
    if isTravelling { try recorded.recorder.back() }
    let counts = recorded.counts

    let error = #expect(throws: RecorderError.self) { try recorded.recorder.jump(to: 1) }

    guard case .refused(store: "b", let cause)? = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(cause is TestError)
    #expect(recorded.counts == counts)
    #expect(recorded.recorder.isTravelling == isTravelling)
    try recorded.recorder.jump(to: 0)
    #expect(recorded.counts == [0, 0])
  }

  @Test func `after a branch that one store refused, what follows is recorded as before`() throws {
    final class Refusing: CommitHook {
      typealias State = Counter

      func editDidEnd(_ edit: inout Edit<Counter>) throws {
        if edit.trace.name == "recorder: keep" { throw TestError() }
      }
    }
    let recorded = try RecordedHub()
    recorded.b.hook(where: { (_: Refusing) in true }, orInstall: { Refusing() })
    recorded.dispatch(.add(1), .add(10), .add(100))
    try recorded.recorder.back()
    try recorded.recorder.skip(1)
    #expect(throws: RecorderError.self) { try recorded.recorder.branch() }
    try recorded.recorder.returnToPresent()
    #expect(recorded.counts == [10, 111])
    #expect(recorded.recorder.entries.last?.stores == ["a"])
    try recorded.recorder.back()
    #expect(recorded.counts == [111, 111])
    try recorded.recorder.forward()
    #expect(recorded.counts == [10, 111])

    recorded.dispatch(.add(1000), .add(5))
    try recorded.recorder.back()

    #expect(recorded.counts == [1010, 1111])
  }
}
