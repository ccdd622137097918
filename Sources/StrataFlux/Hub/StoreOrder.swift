/// The order in which stores receive an action, from their registration and their waits.
///
/// Stores are in the order of their registration, except that a store that others wait for comes
/// before the first of them. A store can wait for one that is not registered; that wait has no
/// effect until the other store is registered.
struct StoreOrder: Sendable {
  /// The names, in the order of their registration.
  private(set) var registered: [String] = []
  private var waits: [String: [String]] = [:]

  /// The names in the order in which an action reaches them.
  private(set) var order: [String] = []
  /// For each store, all stores that it waits for, directly or through others.
  private(set) var predecessors: [String: Set<String>] = [:]

  func contains(_ name: String) -> Bool { waits[name] != nil }

  /// The names that stores wait for and that are not registered, by the waiting store.
  var unmet: [String: [String]] {
    waits.mapValues { $0.filter { waits[$0] == nil } }.filter { !$0.value.isEmpty }
  }

  /// Adds a store; if that would close a cycle, throws its path and changes nothing.
  mutating func add(_ name: String, waitingFor others: [String]) throws(RegistrationError) {
    guard !contains(name) else { throw .identifierTaken(name) }
    var new = self
    new.registered.append(name)
    new.waits[name] = others
    try new.sort()
    self = new
  }

  mutating func remove(_ name: String) throws(RegistrationError) {
    guard contains(name) else { throw .notRegistered(name) }
    registered.removeAll { $0 == name }
    waits[name] = nil
    try sort()
  }

  private mutating func sort() throws(RegistrationError) {
    order = []
    predecessors = [:]
    for name in registered where predecessors[name] == nil { try place(name) }
  }

  /// Adds `name` to the order after all stores that it waits for; iterative, so a long chain cannot
  /// overflow the stack.
  private mutating func place(_ name: String) throws(RegistrationError) {
    // Each element waits for the next one; `left` are its waits that were not visited yet.
    var path = [(name: name, left: awaited(by: name))]
    while let last = path.indices.last {
      if let next = path[last].left.popFirst() {
        if predecessors[next] != nil { continue }
        if let start = path.firstIndex(where: { $0.name == next }) {
          throw .circularWait(path: cycle(path[start...].map(\.name)))
        }
        path.append((next, awaited(by: next)))
      } else {
        let name = path.removeLast().name
        let awaited = awaited(by: name)
        predecessors[name] = awaited.reduce(into: Set(awaited)) { all, awaited in
          all.formUnion(predecessors[awaited] ?? [])
        }
        order.append(name)
      }
    }
  }

  private func awaited(by name: String) -> ArraySlice<String> {
    (waits[name] ?? []).filter { waits[$0] != nil }[...]
  }

  /// The cycle from the store registered last, which closed it, back to itself.
  private func cycle(_ names: [String]) -> [String] {
    let start = names.firstIndex { $0 == registered.last } ?? 0
    return Array(names[start...] + names[...start])
  }
}
