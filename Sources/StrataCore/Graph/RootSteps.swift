/// The steps that are computed from the state itself and have followers, by the parts they read.
@usableFromInline
struct RootSteps<Root: Sendable>: Sendable {
  @usableFromInline private(set) var byBytes:
    [Range<Int>: [ObjectIdentifier: any DerivationStep<Root>]] = [:]
  /// The steps whose bytes are unknown; every version may concern them.
  @usableFromInline private(set) var others: [ObjectIdentifier: any DerivationStep<Root>] = [:]
  /// The parts under which the steps are listed that read other ones from time to time.
  private var movable: [ObjectIdentifier: Set<Range<Int>>?] = [:]
  private var connected = 0
  private(set) var isClosed = false

  /// All steps; one that reads several parts is listed under each.
  var all: [any DerivationStep<Root>] { others.values + byBytes.values.flatMap(\.values) }

  /// Returns all steps, and accepts no more; closing one again does nothing.
  mutating func close() -> [any DerivationStep<Root>] {
    defer {
      byBytes = [:]
      others = [:]
      movable = [:]
    }
    isClosed = true
    return all
  }

  /// Visits the steps whose bytes differ between this version and the one before, then those whose
  /// bytes are unknown.
  ///
  /// Both versions are held, so equal bytes mean equal values. O(different bytes that are read +
  /// steps visited).
  @inlinable
  func visitConcerned(by root: Changes<Root>, _ visit: (any DerivationStep<Root>) -> Void) {
    if let previous = root.storedPrevious {
      withUnsafeBytes(of: previous) { old in
        withUnsafeBytes(of: root.storedValue) { new in
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
    step.forget()
    let inputs = step.inputs
    if inputs.isEmpty { remove(step) }
    for input in inputs where !input.stepFollowers.isIdle {
      step.leave(input)
      if input.stepFollowers.isIdle { disconnect(input) }
    }
  }

  /// Lists a step under the parts it has read now, if it has other ones than before.
  mutating func move(_ step: any DerivationStep<Root>) {
    // Its last follower may have left meanwhile.
    guard let listed = movable[ObjectIdentifier(step)], step.parts != listed else { return }
    remove(step)
    insert(step)
  }

  private mutating func insert(_ step: any DerivationStep<Root>) {
    let parts = step.parts
    if step.mayMove { movable[ObjectIdentifier(step)] = .some(parts) }
    if let parts {
      for bytes in parts { byBytes[bytes, default: [:]][ObjectIdentifier(step)] = step }
    } else {
      others[ObjectIdentifier(step)] = step
    }
  }

  private mutating func remove(_ step: any DerivationStep<Root>) {
    let id = ObjectIdentifier(step)
    guard let parts = movable.removeValue(forKey: id) ?? step.parts else {
      others[id] = nil
      return
    }
    for bytes in parts {
      byBytes[bytes]?[id] = nil
      if byBytes[bytes]?.isEmpty == true { byBytes[bytes] = nil }
    }
  }
}
