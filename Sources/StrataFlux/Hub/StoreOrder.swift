/// In which order stores get an action, decided by who registered when and who waits for whom.
///
/// Stores come in the order of their registration, except that one that others wait for is pulled
/// forward before the first of them. A store may wait for one that is not registered yet, or never
/// will be: that means nothing until it is.
struct StoreOrder: Sendable {
  /// The names, in the order of their registration.
  private(set) var registered: [String] = []
  private var waits: [String: [String]] = [:]

  /// The names in the order in which an action reaches them.
  private(set) var order: [String] = []
  /// For each store all that it waits for, also through others.
  private(set) var predecessors: [String: Set<String>] = [:]

  func contains(_ name: String) -> Bool { waits[name] != nil }

  /// Which names are waited for and not registered, and by whom.
  var unmet: [String: [String]] {
    waits.mapValues { $0.filter { waits[$0] == nil } }.filter { !$0.value.isEmpty }
  }

  /// Adds a store, or tells the circle that it would close and changes nothing.
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

  /// Puts `name` into the order after all that it waits for; without recursion, however long the
  /// chain.
  private mutating func place(_ name: String) throws(RegistrationError) {
    // Each waits for the next; with what of its waits has not been looked at.
    var path = [(name: name, left: awaited(by: name))]
    while let place = path.indices.last {
      if let next = path[place].left.popFirst() {
        if predecessors[next] != nil { continue }
        if let start = path.firstIndex(where: { $0.name == next }) {
          throw .circularWait(path: circle(path[start...].map(\.name)))
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

  /// From the store registered last, without which there was none, back to it.
  private func circle(_ names: [String]) -> [String] {
    let start = names.firstIndex { $0 == registered.last } ?? 0
    return Array(names[start...] + names[...start])
  }
}
