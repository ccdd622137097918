/// The steps that are computed from the state itself and have followers, by the bytes they read.
@usableFromInline
struct RootSteps<Root: Sendable>: Sendable {
  @usableFromInline private(set) var byBytes:
    [Range<Int>: [ObjectIdentifier: any DerivationStep<Root>]] = [:]
  /// The steps whose bytes are unknown; every version may concern them.
  @usableFromInline private(set) var others: [ObjectIdentifier: any DerivationStep<Root>] = [:]
  private var connected = 0
  private(set) var isClosed = false

  /// Returns all steps, and accepts no more.
  mutating func close() -> [any DerivationStep<Root>] {
    defer {
      byBytes = [:]
      others = [:]
    }
    isClosed = true
    return others.values + byBytes.values.flatMap(\.values)
  }

  /// Visits the steps whose bytes differ between this version and the one before, then those whose
  /// bytes are unknown.
  ///
  /// Both versions are held, so equal bytes mean equal values. O(different bytes that are read +
  /// steps visited).
  @inlinable
  func visitConcerned(by root: Changes<Root>, _ visit: (any DerivationStep<Root>) -> Void) {
    if let previous = root.previous {
      withUnsafeBytes(of: previous) { old in
        withUnsafeBytes(of: root.value) { new in
          for (bytes, steps) in byBytes where !BitwiseEquality.areEqual(old[bytes], new[bytes]) {
            for step in steps.values { visit(step) }
          }
        }
      }
    } else {
      for steps in byBytes.values { for step in steps.values { visit(step) } }
    }
    if !others.isEmpty { for step in others.values { visit(step) } }
  }

  /// Connects a step that got its first follower with its inputs.
  mutating func connect(_ step: any DerivationStep<Root>) {
    connected += 1
    step.stepFollowers.setOrder(connected)
    let inputs = step.inputs
    if inputs.isEmpty { insert(step) }
    for input in inputs {
      let wasIdle = input.stepFollowers.isIdle
      step.join(input)
      if wasIdle { connect(input) }
    }
  }

  /// Removes a step without followers, and the inputs that were connected only for it.
  mutating func disconnect(_ step: any DerivationStep<Root>) {
    step.stepFollowers.forget()
    let inputs = step.inputs
    if inputs.isEmpty { remove(step) }
    for input in inputs where !input.stepFollowers.isIdle {
      step.leave(input)
      if input.stepFollowers.isIdle { disconnect(input) }
    }
  }

  private mutating func insert(_ step: any DerivationStep<Root>) {
    if let bytes = step.bytes {
      byBytes[bytes, default: [:]][ObjectIdentifier(step)] = step
    } else {
      others[ObjectIdentifier(step)] = step
    }
  }

  private mutating func remove(_ step: any DerivationStep<Root>) {
    guard let bytes = step.bytes else {
      others[ObjectIdentifier(step)] = nil
      return
    }
    byBytes[bytes]?[ObjectIdentifier(step)] = nil
    if byBytes[bytes]?.isEmpty == true { byBytes[bytes] = nil }
  }
}
