import StrataBase

/// What each lane of a derivation has seen.
struct LaneMemos<Memo: AnyObject> {
  private var reading: Memo?
  private var delivering: Memo?

  subscript(lane: DerivationLane) -> Memo? {
    get { lane == .reading ? reading : delivering }
    set { if lane == .reading { reading = newValue } else { delivering = newValue } }
  }
}

extension Lock {
  /// A lock around what the lanes of a derivation have seen.
  static func lanes<Memo: AnyObject>() -> Lock where Value == LaneMemos<Memo> {
    Lock(
      LaneMemos(),
      reentryRemedy: """
        A derived value was asked for inside a closure it is computed with: use what the closure is \
        given.
        """
    )
  }
}
