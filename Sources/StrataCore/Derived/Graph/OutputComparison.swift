/// Whether a new output is as good as the one before.
package enum OutputComparison<Output: Sendable>: Sendable {
  /// It never is.
  case nothing
  /// When they are equal.
  case equality(@Sendable (Output, Output) -> Bool)
  /// When the predicate says so.
  case predicate(@Sendable (Changes<Output>) -> Bool)
}

extension OutputComparison where Output: Equatable {
  package static var equality: OutputComparison { .equality { $0 == $1 } }
}

extension OutputComparison {
  /// When every byte is equal: then so are the values, as both are held.
  ///
  /// Values with other bytes may be equal too; nobody asks them.
  static var bytes: OutputComparison { .equality { HeldBytes.areEqual($0, $1) } }
}
