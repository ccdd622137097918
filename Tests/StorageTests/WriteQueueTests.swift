import StrataBase
import StrataJournal
import StrataStorage
import Testing

struct WriteQueueTests {
  private func queue(capacity: Int = 100, wakesAtOnceFrom: Int = 10) -> WriteQueueState {
    WriteQueueState(after: 7, time: 50, capacity: capacity, wakesAtOnceFrom: wakesAtOnceFrom)
  }

  private func changes(_ numbers: Int...) -> any PendingChanges { Numbers(Set(numbers)) }

  private func add(_ number: Int, to queue: inout WriteQueueState, now: Int64 = 60)
    -> WriteQueueState.Wake
  {
    queue.add(changes(number), name: "", CommitPlace(), now: now, .now)
  }

  @Test
  func `revisions count on without a gap, and time never runs back`() {
    var queue = queue()
    _ = add(1, to: &queue, now: 60)
    _ = add(2, to: &queue, now: 40)
    #expect(queue.pending.map(\.revision) == [8, 9])
    #expect(queue.pending.map(\.time) == [60, 60])
    #expect(queue.lastRevision == 9)
  }

  @Test
  func `the writer is called once for a group, and at once when there are enough`() {
    var queue = queue(wakesAtOnceFrom: 3)
    #expect(add(1, to: &queue) == .afterDelay)
    #expect(add(2, to: &queue) == .notNeeded)
    #expect(add(3, to: &queue) == .now)
    #expect(add(4, to: &queue) == .notNeeded)
    #expect(queue.take(entities: 100).count == 4)
    queue.settle()
    #expect(queue.wake() == .notNeeded)
  }

  @Test
  func `a call that was put off serves every commit until it comes`() {
    var queue = queue()
    #expect(add(1, to: &queue) == .afterDelay)
    _ = queue.take(entities: 100)
    queue.settle()
    #expect(add(2, to: &queue) == .notNeeded)
    queue.delayedWakeDidArrive()
    #expect(queue.wake() == .afterDelay)
  }

  @Test
  func `a group takes whole deltas, and at least one`() {
    var queue = queue()
    _ = queue.add(changes(1, 2, 3), name: "", CommitPlace(), now: 60, .now)
    _ = queue.add(changes(4), name: "", CommitPlace(), now: 60, .now)
    #expect(queue.take(entities: 2).map(\.revision) == [8])
    #expect(queue.take(entities: 2).isEmpty)
    queue.settle()
    #expect(queue.take(entities: 2).map(\.revision) == [9])
  }

  @Test
  func `there is room again once the writer has taken some, or has given up`() {
    var queue = queue(capacity: 2)
    _ = add(1, to: &queue)
    #expect(queue.hasRoom)
    _ = add(2, to: &queue)
    #expect(!queue.hasRoom)
    var degraded = queue
    degraded.degrade()
    #expect(degraded.hasRoom)
    _ = queue.take(entities: 1)
    #expect(queue.hasRoom)
  }

  @Test
  func `after an error what the file has is not written again, and what it lacks is`() {
    var queue = queue()
    for number in 1...3 { _ = add(number, to: &queue) }
    _ = queue.take(entities: 100)
    _ = add(4, to: &queue)
    queue.degrade()
    queue.recover(through: 9)
    #expect(queue.pending.map(\.revision) == [10, 11])
    #expect(queue.isOpen)
    #expect(queue.pendingEntities == 2)
  }

  @Test
  func `while the disk is away what waits becomes one delta over all its revisions`() throws {
    var queue = queue()
    _ = add(1, to: &queue)
    _ = add(2, to: &queue)
    queue.degrade()
    #expect(queue.pending.count == 1)
    for number in 0..<5_000 { _ = add(number % 10, to: &queue) }
    #expect(queue.pendingEntities <= 1_001)
    #expect(queue.unwrittenCommits == 5_002)
    var revision: Revision = 7
    for delta in queue.pending {
      #expect(delta.first == revision.next)
      revision = delta.revision
    }
    #expect(revision == queue.lastRevision)
    let merged = try #require(queue.pending.first)
    #expect(merged.name == "\(merged.revision.number - 7) commits merged")
  }

  @Test
  func `once it is being closed nobody waits for room that may never come`() {
    var queue = queue(capacity: 2)
    _ = queue.add(changes(1, 2, 3), name: "", CommitPlace(), now: 60, .now)
    #expect(!queue.hasRoom)
    queue.refuseCommits(.closed)
    #expect(queue.hasRoom)
  }

  @Test
  func `commits are refused from the end of the lease on, until it is renewed`() {
    var queue = queue()
    let start = ContinuousClock.now
    #expect(queue.refusal(at: start) == nil)
    queue.acceptCommitsAgain(until: start + .seconds(2), then: .readOnly)
    #expect(queue.refusal(at: start + .milliseconds(1_999)) == nil)
    #expect(queue.refusal(at: start + .seconds(2)) == .readOnly)
    queue.acceptCommitsAgain(until: start + .seconds(4), then: .readOnly)
    #expect(queue.refusal(at: start + .seconds(3)) == nil)
    queue.refuseCommits(.suspended, mayPass: true)
    queue.refuseCommits(.readOnly, mayPass: true)
    #expect(queue.refusal(at: start) == .readOnly)
    queue.acceptCommitsAgain(until: start + .seconds(6), then: .readOnly)
    #expect(queue.refusal(at: start) == nil)
    // The one that does not pass is the first of its kind.
    queue.refuseCommits(.readOnly)
    queue.refuseCommits(.suspended, mayPass: true)
    queue.acceptCommitsAgain(until: start + .seconds(8), then: .readOnly)
    #expect(queue.refusal(at: start) == .readOnly)
    queue.refuseCommits(.closed)
    #expect(queue.refusal(at: start) == .closed)
  }
}

/// Changes of entities that consist of a number.
private struct Numbers: PendingChanges {
  let numbers: Set<Int>

  init(_ numbers: Set<Int>) { self.numbers = numbers }

  var count: Int { numbers.count }

  func merging(_ later: any PendingChanges) -> any PendingChanges {
    Numbers(numbers.union((later as? Numbers)?.numbers ?? []))
  }

  func encode(into delta: inout DeltaEncoder, _ encoder: inout EntityEncoder) throws {}

  func forEachEntity(_ body: (_ table: String, _ id: String) -> Void) {
    for number in numbers { body("numbers", "\(number)") }
  }
}
