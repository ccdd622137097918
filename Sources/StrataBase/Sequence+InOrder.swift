extension Sequence {
  /// What `sorted(by:)` returns, by code that all callers share.
  ///
  /// The compiler makes a sort of 3 kB for each kind of element and each order; a program that keeps state had 46 of them. This
  /// one is several times slower, hence it is for what happens once in an opening, a report or an error, not for what
  /// happens for each commit or record.
  package func inOrder(
    by precedes: (Element, Element) throws -> Bool
  ) rethrows -> [Element] {
    try sorted(by: precedes)
  }
}

extension Sequence where Element: Comparable {
  /// What `sorted()` returns, by code that all callers share; see `inOrder(by:)`.
  package func inOrder() -> [Element] { sorted() }
}
