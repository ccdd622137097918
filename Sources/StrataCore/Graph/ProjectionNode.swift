import StrataBase

/// A derivation by a pipeline, from the state itself or from another derivation.
final class ProjectionNode<Root: Sendable, Input: Sendable, Output: Sendable>: DerivationNode {
  let inputs: [any DerivationStep<Root>]
  private let bytes: Range<Int>?
  /// Whether it is computed from the state itself, by a closure whose reads are noted.
  private let followsReads: Bool
  /// What the closure has read for the subscribers; its lock is never held while the closure runs.
  private let reads = Lock(Reads())

  private struct Reads {
    var parts: Set<Range<Int>>?
    var haveMoved = false
  }

  let followers = NodeFollowers<Root, Output>()
  private let projection: Projection<Input, Output>
  private let memory = NodeMemory<ProjectionMemo<Input, Output>>()
  private let input: @Sendable (Version<Root>, DerivationConsumer) -> Version<Input>

  /// A derivation from another one.
  init(_ input: any DerivationNode<Root, Input>, _ projection: Projection<Input, Output>) {
    self.projection = projection
    self.input = { root, consumer in input.version(at: root, for: consumer) }
    inputs = [input]
    bytes = nil
    followsReads = false
  }

  /// A derivation from the state itself.
  init(_ projection: Projection<Root, Output>) where Input == Root {
    self.projection = projection
    input = { root, _ in root }
    inputs = []
    switch projection.pipeline.projection {
    case .part(let part): bytes = part.bytes
    case .function: bytes = nil
    }
    followsReads = projection.dependsOnReadsAlone
  }

  var parts: Set<Range<Int>>? {
    followsReads ? reads.withLock { $0.parts } : bytes.map { [$0] }
  }

  var mayMove: Bool { followsReads }

  func takeMove() -> Bool {
    followsReads
      && reads.withLock { reads in
        defer { reads.haveMoved = false }
        return reads.haveMoved
      }
  }

  func version(at root: Version<Root>, for consumer: DerivationConsumer) -> Version<Output> {
    var parts: Set<Range<Int>>?
    let version = memory.output(for: consumer) { own, other, replaced in
      guard let own else {
        let first = projection.first(from: input(root, consumer), at: root.number, beside: other)
        parts = first.parts
        return first
      }
      if own.rootVersion < root.number {
        let input = input(root, consumer)
        replaced = projection.advance(own, to: input, at: root.number, for: consumer, beside: other)
      }
      parts = own.parts
      return own
    }
    if followsReads, consumer == .subscribers { note(parts) }
    return version
  }

  func forget() {
    followers.forget()
    memory.forget()
  }

  func list(in listing: inout FollowerListing) {
    switch projection.pipeline.projection {
    case .part(let part): listing.add(listing.text(of: part), followers)
    case .function: listing.add("closure over \(Input.self)", followers)
    }
  }

  private func note(_ parts: Set<Range<Int>>?) {
    reads.withLock { reads in
      guard reads.parts != parts else { return }
      reads.parts = parts
      reads.haveMoved = true
    }
  }
}

extension KeyPath {
  /// The bytes of the root that it leads to; nil unless it goes through stored properties only.
  var bytes: Range<Int>? {
    guard let start = MemoryLayout<Root>.offset(of: self) else { return nil }
    return start..<start + MemoryLayout<Value>.size
  }
}
