/// The derived values of a store that were asked for by key path and that someone still keeps.
final class DerivedCache: Sendable {
  /// What tells two derived values of one key path apart.
  enum Comparison: Hashable {
    case equality
    case nothing
  }

  private struct Key: Hashable {
    let part: AnyKeyPath
    let comparison: Comparison
  }

  private struct Entry {
    weak var derived: AnyObject?
  }

  private struct Entries {
    var byKey: [Key: Entry] = [:]
    /// How many entries make it worth looking for those nobody keeps any more.
    var limit = 16
  }

  private let entries = Lock(Entries())

  /// The derived value of this key path, made when there is none.
  ///
  /// Two threads that ask at once get the same one. Amortised O(1).
  func derived<Root, Output>(
    at part: PartPath<Root, Output>,
    isComparing comparison: Comparison,
    make: () -> Derived<Output>
  ) -> Derived<Output> {
    entries.withLock { entries in
      let key = Key(part: part, comparison: comparison)
      if let known = entries.byKey[key]?.derived as? Derived<Output> { return known }
      let derived = make()
      entries.byKey[key] = Entry(derived: derived)
      if entries.byKey.count >= entries.limit {
        entries.byKey = entries.byKey.filter { $0.value.derived != nil }
        entries.limit = max(16, entries.byKey.count * 2)
      }
      return derived
    }
  }
}
