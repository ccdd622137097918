import StrataBase

/// What a node computed last, for readers and for subscribers.
struct NodeMemory<Memo: NodeMemo>: Sendable {
  private struct Memos {
    var readers: Memo?
    var subscribers: Memo?

    subscript(consumer: DerivationConsumer) -> Memo? {
      get { consumer == .readers ? readers : subscribers }
      set { if consumer == .readers { readers = newValue } else { subscribers = newValue } }
    }
  }

  private let memos = Lock(
    Memos(),
    reentryRemedy: """
      A derived value was read inside a closure it is computed with: use what the closure is given.
      """
  )

  /// Releases what was computed for subscribers.
  func forget() {
    let last = memos.withLock { memos in
      defer { memos.subscribers = nil }
      return memos.subscribers
    }
    withExtendedLifetime(last) {}
  }

  /// The output for a consumer, after `update` has brought its memo up to date.
  ///
  /// `update` returns the memo of the consumer, the same or a new one. It gets that memo and the one of
  /// the other consumer, and sets `replaced` to an output that it replaced.
  func output(
    for consumer: DerivationConsumer,
    _ update: (_ own: Memo?, _ other: Memo?, _ replaced: inout Version<Memo.Output>?) -> Memo
  ) -> Version<Memo.Output> {
    // Freed outside the lock: releasing what they hold may read this value.
    var replaced: Version<Memo.Output>?
    var previous: Memo?
    let output = memos.withLock { memos in
      previous = memos[consumer]
      let memo = update(previous, memos[consumer.other], &replaced)
      if memo !== previous { memos[consumer] = memo }
      return memo.output
    }
    _ = consume replaced
    _ = consume previous
    return output
  }
}

/// What a node computed for one consumer: an object, so that reading it copies nothing.
///
/// The lock of its ``NodeMemory`` guards it.
protocol NodeMemo: AnyObject {
  associatedtype Output: Sendable

  var output: Version<Output> { get }
}
