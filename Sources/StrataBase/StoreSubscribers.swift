/// Who follows a store at one moment: what its process knows and no file has.
package struct StoreSubscribers: Sendable, Equatable {
  /// What is followed in the same way.
  package struct Group: Sendable, Equatable {
    package enum Kind: String, Sendable {
      case state, activity, derived
    }

    package var kind: Kind
    /// What a value is computed from, such as `\AppState.count`; never a value or an ID.
    package var source: String
    /// The type of the value.
    package var type: String
    /// How many values like this are followed.
    package var values: Int
    /// How many subscribers they have.
    package var subscribers: Int
    /// How many derived values are computed from them.
    package var dependents: Int

    package init(
      _ kind: Kind,
      source: String,
      type: String,
      values: Int = 1,
      subscribers: Int,
      dependents: Int = 0
    ) {
      self.kind = kind
      self.source = source
      self.type = type
      self.values = values
      self.subscribers = subscribers
      self.dependents = dependents
    }
  }

  /// The name of the store.
  package var store: String
  /// The number of its last commit.
  package var version: UInt64
  /// How many deliveries wait for a subscriber to return.
  package var waiting: Int
  /// Whether a committer has waited for them, there was no room after that, and there has been none since.
  package var isBehind: Bool
  /// The state first, then activities, then derived values, those with the most subscribers first.
  package var groups: [Group]

  package init(
    store: String,
    version: UInt64,
    waiting: Int,
    isBehind: Bool = false,
    groups: [Group]
  ) {
    self.store = store
    self.version = version
    self.waiting = waiting
    self.isBehind = isBehind
    self.groups = groups
  }
}
