extension Derived {
  /// A value derived from this one that goes on from its own last value where this one says nothing.
  ///
  /// The last value is the newest that a subscriber was told or anyone has read.
  package func keeping<Next: Sendable>(_ rule: KeepingRule<Value, Next>) -> Derived<Next> {
    Derived<Next>(source.kept(rule, keeping: self))
  }
}
