import StrataBase

/// The observers of a store, grouped by the part of the state that they observe.
///
/// One comparison serves all observers of one key path. A deallocated observer is removed when it
/// would be notified, or when the list has doubled.
///
/// Reading a weak reference can make this code the last owner of an observer, and its deinit can
/// call back into the store. So the methods return the objects they read, and the caller releases
/// them outside the lock.
struct ObserverList<State: StateType, Action: FluxAction>: Sendable {
  typealias Callback = @Sendable (State, Action?) -> Void

  /// A class, because lists are copied for reading and copying a weak reference is slow.
  final class Observer: Sendable {
    fileprivate weak let object: (any AnyObject & Sendable)?
    fileprivate let number: Int
    private let queue: TargetQueue
    private let callback: Callback
    private let isRegistered = Lock(true)

    fileprivate init(
      object: any AnyObject & Sendable,
      number: Int,
      queue: TargetQueue,
      callback: @escaping Callback
    ) {
      self.object = object
      self.number = number
      self.queue = queue
      self.callback = callback
    }

    /// Calls back with the state committed by then, unless the observer is deallocated or
    /// unregistered by then.
    func notify(of store: FluxStore<State, Action>, after action: Action?) {
      if queue.isPassthrough { return run(store, action) }
      queue.run { self.run(store, action) }
    }

    private func run(_ store: FluxStore<State, Action>, _ action: Action?) {
      guard let object, isRegistered.withLock({ $0 }) else { return }
      callback(store.state, action)
      withExtendedLifetime(object) {}
    }

    fileprivate func end() { isRegistered.withLock { $0 = false } }
  }

  private struct Group: Sendable {
    let differs: @Sendable (State, State) -> Bool
    var observers: [Observer] = []
  }

  /// The observed part of the state; nil is the whole state.
  struct Part: Hashable, Sendable {
    fileprivate let keyPath: (any AnyKeyPath & Sendable)?

    static func == (a: Part, b: Part) -> Bool {
      (a.keyPath as AnyKeyPath?) == (b.keyPath as AnyKeyPath?)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(keyPath as AnyKeyPath?) }
  }

  private var groups: [Part: Group] = [:]
  private var lastNumber = 0
  private var countToCompact = 16
  /// How many callbacks are stored.
  private(set) var callbackCount = 0

  mutating func add(
    _ object: any AnyObject & Sendable,
    on queue: TargetQueue,
    callback: @escaping Callback
  ) -> [AnyObject] {
    add(object, to: Part(keyPath: nil), differs: { _, _ in true }, on: queue, callback)
  }

  mutating func add<Value: Equatable & Sendable>(
    _ object: any AnyObject & Sendable,
    of keyPath: any KeyPath<State, Value> & Sendable,
    on queue: TargetQueue,
    callback: @escaping Callback
  ) -> [AnyObject] {
    let differs: @Sendable (State, State) -> Bool = {
      $0[keyPath: keyPath] != $1[keyPath: keyPath]
    }
    return add(object, to: Part(keyPath: keyPath), differs: differs, on: queue, callback)
  }

  private mutating func add(
    _ object: any AnyObject & Sendable,
    to part: Part,
    differs: @escaping @Sendable (State, State) -> Bool,
    on queue: TargetQueue,
    _ callback: @escaping Callback
  ) -> [AnyObject] {
    let seen = callbackCount >= countToCompact ? compact() : []
    lastNumber += 1
    callbackCount += 1
    let observer = Observer(object: object, number: lastNumber, queue: queue, callback: callback)
    groups[part, default: Group(differs: differs)].observers.append(observer)
    return seen
  }

  mutating func remove(_ object: AnyObject) -> [AnyObject] {
    keep { $0 !== object }
  }

  mutating func compact() -> [AnyObject] {
    let seen = keep { _ in true }
    countToCompact = max(16, callbackCount * 2)
    return seen
  }

  /// Keeps the observers that are not deallocated and that `isWanted` accepts.
  private mutating func keep(_ isWanted: (AnyObject) -> Bool) -> [AnyObject] {
    var seen: [AnyObject] = []
    for part in groups.keys {
      groups[part]?.observers.removeAll { observer in
        guard let object = observer.object else { return true }
        seen.append(object)
        if isWanted(object) { return false }
        observer.end()
        return true
      }
    }
    groups = groups.filter { !$0.value.observers.isEmpty }
    callbackCount = groups.values.reduce(0) { $0 + $1.observers.count }
    return seen
  }

  /// The observed parts that differ between two versions; O(observed key paths).
  func changes(from old: State, to new: State) -> Set<Part> {
    Set(groups.lazy.filter { $0.value.differs(old, new) }.map(\.key))
  }

  /// The observers to notify of changed parts, in the order of registration, and whether deallocated
  /// observers were found.
  ///
  /// O(parts), and O(m log m) for the m affected observers.
  func due(for parts: Set<Part>) -> (observers: [Observer], foundDeallocated: Bool) {
    var due: [Observer] = []
    var affected = 0
    for group in parts.compactMap({ groups[$0] }) {
      affected += group.observers.count
      due += group.observers.filter { $0.object != nil }
    }
    due.sort { $0.number < $1.number }
    return (due, due.count < affected)
  }
}
