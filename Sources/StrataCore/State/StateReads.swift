import StrataBase

/// The parts of a store's state that a closure has read, as the bytes of their stored properties.
///
/// A closure that is given tracked ``Changes`` reads parts through them, each of which is noted. What
/// cannot be seen in its bytes counts as everything: the whole value, the previous one, the version,
/// a computed property.
final class StateReads: Sendable {
  /// Nil once everything was read.
  private let parts = Lock<Set<Range<Int>>?>([])

  func note(_ part: Range<Int>) { parts.withLock { _ = $0?.insert(part) } }

  func noteEverything() { parts.withLock { $0 = nil } }

  /// Runs a closure with changes that are tracked, and returns what it has read with its result; nil if
  /// that may be everything.
  ///
  /// Changes that outlive the closure may be read later, so they count as everything too.
  static func output<Value, Output>(
    of function: (Changes<Value>) -> Output,
    reading changes: Changes<Value>
  ) -> (output: Output, parts: Set<Range<Int>>?) {
    var reads = StateReads()
    let output = function(
      changes.tracked(by: ReadPlace(reads, at: 0..<MemoryLayout<Value>.size))
    )
    let haveEnded = isKnownUniquelyReferenced(&reads)
    return (output, haveEnded ? reads.parts.withLock { $0 } : nil)
  }
}

/// Where a tracked value is in the state.
@usableFromInline
final class ReadPlace: Sendable {
  private let reads: StateReads
  private let bytes: Range<Int>

  init(_ reads: StateReads, at bytes: Range<Int>) {
    self.reads = reads
    self.bytes = bytes
  }

  /// Notes that the whole value was read.
  @usableFromInline
  func noteValue() { reads.note(bytes) }

  /// Notes that something was read that has no place in the state.
  @usableFromInline
  func noteEverything() { reads.noteEverything() }

  /// The place of a part of the value; nil if it has none, and then everything counts as read.
  func part<Root, Part>(_ path: KeyPath<Root, Part>) -> ReadPlace? {
    guard let part = path.bytes else {
      noteEverything()
      return nil
    }
    let start = bytes.lowerBound + part.lowerBound
    return ReadPlace(reads, at: start..<start + part.count)
  }

  /// Notes that a part of the value was read.
  @usableFromInline
  func note<Root, Part>(_ path: KeyPath<Root, Part>) { part(path)?.noteValue() }
}
