import StrataBase

/// Who wants to be told at the end of an action, grouped by what they look at.
///
/// One comparison decides for all observers of one key path, however many they are. An observer
/// that is gone is forgotten when its turn would come, or when the list has doubled.
///
/// Looking at an observer may make it go, and what it does then may come back here. So the verbs
/// give what they looked at to the caller, who lets go of it outside the lock.
struct ObserverList<State: StateType, Action: FluxAction>: Sendable {
  typealias Call = @Sendable (State, Action?) -> Void

  /// An object, as lists are copied to be read, and copying a weak reference is slow.
  final class Observer: Sendable {
    fileprivate weak let object: (any AnyObject & Sendable)?
    fileprivate let number: Int
    private let queue: TargetQueue
    private let call: Call
    private let isKept = Lock(true)

    fileprivate init(
      object: any AnyObject & Sendable,
      number: Int,
      queue: TargetQueue,
      call: @escaping Call
    ) {
      self.object = object
      self.number = number
      self.queue = queue
      self.call = call
    }

    /// Calls back with what is committed then, unless the observer is gone or unregistered by then.
    func tell(of store: FluxStore<State, Action>, after action: Action?) {
      if case .passthrough = queue { return run(store, action) }
      queue.run { self.run(store, action) }
    }

    private func run(_ store: FluxStore<State, Action>, _ action: Action?) {
      guard let object, isKept.withLock({ $0 }) else { return }
      call(store.state, action)
      withExtendedLifetime(object) {}
    }

    fileprivate func end() { isKept.withLock { $0 = false } }
  }

  private struct Group: Sendable {
    let differs: @Sendable (State, State) -> Bool
    var observers: [Observer] = []
  }

  /// Which part of the state: nil is the whole.
  private struct Part: Hashable, Sendable {
    let keyPath: (any AnyKeyPath & Sendable)?

    static func == (a: Part, b: Part) -> Bool {
      (a.keyPath as AnyKeyPath?) == (b.keyPath as AnyKeyPath?)
    }

    func hash(into hasher: inout Hasher) { hasher.combine(keyPath as AnyKeyPath?) }
  }

  private var groups: [Part: Group] = [:]
  private var lastNumber = 0
  private var count = 0
  private var countToCompact = 16

  mutating func add(
    _ object: any AnyObject & Sendable,
    on queue: TargetQueue,
    call: @escaping Call
  ) -> [AnyObject] {
    add(object, to: Part(keyPath: nil), differs: { _, _ in true }, on: queue, call)
  }

  mutating func add<Value: Equatable & Sendable>(
    _ object: any AnyObject & Sendable,
    of keyPath: any KeyPath<State, Value> & Sendable,
    on queue: TargetQueue,
    call: @escaping Call
  ) -> [AnyObject] {
    let differs: @Sendable (State, State) -> Bool = {
      $0[keyPath: keyPath] != $1[keyPath: keyPath]
    }
    return add(object, to: Part(keyPath: keyPath), differs: differs, on: queue, call)
  }

  private mutating func add(
    _ object: any AnyObject & Sendable,
    to part: Part,
    differs: @escaping @Sendable (State, State) -> Bool,
    on queue: TargetQueue,
    _ call: @escaping Call
  ) -> [AnyObject] {
    let seen = count >= countToCompact ? compact() : []
    lastNumber += 1
    count += 1
    let observer = Observer(object: object, number: lastNumber, queue: queue, call: call)
    groups[part, default: Group(differs: differs)].observers.append(observer)
    return seen
  }

  mutating func remove(_ object: AnyObject) -> [AnyObject] {
    keep { $0 !== object }
  }

  mutating func compact() -> [AnyObject] {
    let seen = keep { _ in true }
    countToCompact = max(16, count * 2)
    return seen
  }

  /// Keeps those observers that are still there and that `isWanted` accepts.
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
    count = groups.values.reduce(0) { $0 + $1.observers.count }
    return seen
  }

  /// How many callbacks are kept.
  var callCount: Int { count }

  /// Who has to be told when `old` became `new`, in the order of registration, and whether observers
  /// were found gone.
  ///
  /// O(key paths looked at), and O(m log m) for the m observers that are affected.
  func calls(from old: State, to new: State) -> (due: [Observer], foundGone: Bool) {
    var due: [Observer] = []
    var affected = 0
    for group in groups.values where group.differs(old, new) {
      affected += group.observers.count
      due += group.observers.filter { $0.object != nil }
    }
    due.sort { $0.number < $1.number }
    return (due, due.count < affected)
  }
}
