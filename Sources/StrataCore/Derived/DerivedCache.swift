import StrataBase

/// What was derived from the state of a store, can be asked for again, and is still kept by someone.
final class DerivedCache: Sendable {
  private struct Entry {
    weak var object: AnyObject?
  }

  private struct Entries {
    var byKey: [AnyHashable: Entry] = [:]
    /// How many entries make it worth looking for those nobody keeps any more.
    var limit = 16
  }

  private let entries = Lock(
    Entries(),
    reentryRemedy: "What makes a derived value asked for another: ask for that one first."
  )

  /// The object of this key, made when there is none.
  ///
  /// Two threads that ask at once get the same one. The type of a key decides the type of its
  /// object. `make` must not ask the cache. Amortised O(1).
  func object<Object: AnyObject>(for key: some Hashable, make: () -> Object) -> Object {
    entries.withLock { entries in
      let key = AnyHashable(key)
      if let known = entries.byKey[key]?.object as? Object { return known }
      let object = make()
      entries.byKey[key] = Entry(object: object)
      if entries.byKey.count >= entries.limit {
        entries.byKey = entries.byKey.filter { $0.value.object != nil }
        entries.limit = max(16, entries.byKey.count * 2)
      }
      return object
    }
  }
}

/// The key of what a key path alone says how to derive.
struct DerivedPart: Hashable {
  /// What tells two derived values of one key path apart.
  enum Comparison: Hashable {
    case equality
    case nothing
    case bytes
  }

  let part: AnyKeyPath
  let comparison: Comparison
}
