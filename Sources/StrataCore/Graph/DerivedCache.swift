import StrataBase

/// The derived values of a store that can be requested again, as long as they are held elsewhere.
final class DerivedCache: Sendable {
  private struct Entry {
    weak var object: AnyObject?
  }

  private struct Entries {
    var byKey: [AnyHashable: Entry] = [:]
    /// The number of entries at which released ones are removed.
    var limit = 16
  }

  private let entries = Lock(
    Entries(),
    reentryRemedy: "A derived value was requested while another is created: request it first."
  )

  /// The object of this key, created if there is none.
  ///
  /// Two threads that call this at once get the same object. A key determines the type of its object. `make` must not call the cache. Amortised O(1).
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

/// The key of a value that is derived by a key path alone.
struct DerivedPart: Hashable {
  /// How two derived values of one key path may differ.
  enum Comparison: Hashable {
    case equality
    case nothing
    case bytes
  }

  let part: AnyKeyPath
  let comparison: Comparison
}
