/// The differences themselves, version by version: what happened rather than what is.
///
/// Only subscribers are told; whoever looks without one sees no difference.
final class DifferenceNode<Root: Sendable, Difference: KeyedDifference>: DerivationNode {
  typealias Value = KeyedChanges<Difference>

  private let step: KeyedStep<Root, Difference>
  let told = DerivationFollowers<Root, Value>()

  init(_ step: KeyedStep<Root, Difference>) { self.step = step }

  var inputs: [any DerivationStep<Root>] { [step] }
  var bytes: Range<Int>? { nil }

  func advance(to root: Changes<Root>) -> Bool {
    guard let changes = step.changes(at: root.version) else { return false }
    told.take(changes)
    return true
  }

  /// What was told is over, so nothing of it is kept.
  func tell() {
    told.tell()
    told.forget()
  }

  func look<R>(
    at root: Changes<Root>,
    in lane: DerivationLane,
    _ read: (Changes<Value>) -> R
  ) -> R {
    if lane == .delivering { step.begin(at: root) }
    let whole = root.value[keyPath: step.path]
    let nothing = Value(old: whole, new: whole, elements: [])
    return read(root.replacing(value: nothing, previous: nil))
  }
}
