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
    if let path = path(from: others, to: name) { throw .circularWait(path: [name] + path) }
    registered.append(name)
    waits[name] = others
    sort()
  }

  mutating func remove(_ name: String) throws(RegistrationError) {
    guard contains(name) else { throw .notRegistered(name) }
    registered.removeAll { $0 == name }
    waits[name] = nil
    sort()
  }

  /// A way along waits from one of `starts` to `goal`, both included.
  private func path(from starts: [String], to goal: String) -> [String]? {
    var cameFrom: [String: String?] = [:]
    var reached: [String] = []
    for start in starts where cameFrom[start] == nil {
      cameFrom[start] = .some(nil)
      reached.append(start)
    }
    while let name = reached.popLast() {
      if name == goal { return Array(sequence(first: goal) { cameFrom[$0] ?? nil }).reversed() }
      for next in waits[name] ?? [] where cameFrom[next] == nil {
        cameFrom[next] = name
        reached.append(next)
      }
    }
    return nil
  }

  private mutating func sort() {
    order = []
    predecessors = [:]
    for name in registered { place(name) }
  }

  /// Puts `name` into the order after all that it waits for; without recursion, however long the
  /// chain.
  private mutating func place(_ name: String) {
    var path = [name]
    while let name = path.last {
      guard predecessors[name] == nil else {
        path.removeLast()
        continue
      }
      let awaited = (waits[name] ?? []).filter { waits[$0] != nil }
      let missing = awaited.filter { predecessors[$0] == nil }
      if missing.isEmpty {
        predecessors[name] = awaited.reduce(into: Set(awaited)) { all, awaited in
          all.formUnion(predecessors[awaited] ?? [])
        }
        order.append(name)
      } else {
        path += missing.reversed()
      }
    }
  }
}
