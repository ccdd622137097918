public import StrataCore
public import StrataJournal
package import StrataNormalization

/// A small part of the state that is stored beside the database, under a name.
///
/// ```swift
/// let persistence = try await Persistence.open(
///   at: "app.strata", initialState: AppState(), database: \.db,
///   values: [PersistedValue("my-info", \.loggedIn.myInfo)])
/// ```
///
/// It is stored whole: a commit that changed it makes a delta with all of it. It is changed if its stored bytes
/// are others, whatever its `==` says: -0.0 in place of 0.0 is a change, and NaN that stays NaN is none. A
/// commit that leaves its memory as it is compares nothing else; any other one encodes it twice. So it is for
/// small things, such as settings and who is logged in; a thing with many parts that have an identity belongs
/// in a table. An optional may be nil, and is restored as nil.
///
/// A value that is new to the file starts from the initial state. A non-optional field that stored
/// values do not have yet is taken from the initial state too. A value that a build does not list
/// any more stays in the file.
public struct PersistedValue<State: StateType>: Sendable {
  /// The name in the file; it stays the same when the property is renamed.
  public let name: String

  let path: any AnyKeyPath & Sendable
  /// The bytes that it takes in a state; nil if the state does not store it inline.
  let byteRange: Range<Int>?
  private let makePut: @Sendable (State) -> any AnyTableChanges
  private let makeChange: @Sendable (State, State) -> (any AnyTableChanges)?
  private let assignValue: @Sendable (any AnyTableChanges, inout State) -> Void
  private let addTransform: @Sendable (inout StoragePolicy) -> Void

  /// Stores the value at `path` under a name, sealed if a `sealing` is given.
  ///
  /// An empty name traps. Opening the file traps for a name that is given twice, and for a path
  /// that leads into the database. Use a path of stored properties: not through classes, where two
  /// states could not be distinguished, and not through `!`, which traps while the optional is nil.
  public init<Value: Codable & Equatable & Sendable>(
    _ name: String,
    _ path: StatePath<State, Value>,
    sealing: (any RecordSealing)? = nil
  ) {
    if name.isEmpty {
      fatalError("A PersistedValue must have a name: the file stores it under that name.")
    }
    let table = StoredValues.tableName(of: name)
    self.name = name
    self.path = path
    byteRange = MemoryLayout<State>.offset(of: path).map { $0..<$0 + MemoryLayout<Value>.size }
    makePut = { Self.put($0[keyPath: path], table) }
    makeChange = { old, new in
      let value = new[keyPath: path]
      return StoredComparison.areSame(old[keyPath: path], value) ? nil : Self.put(value, table)
    }
    assignValue = { changes, state in
      guard let changes = changes as? TableChanges<StoredValue<Value>> else { return }
      for case .put(let stored) in changes.changes { state[keyPath: path] = stored.value }
    }
    addTransform = { policy in
      guard let sealing else { return }
      policy.updateTransform(of: table) { (transform: inout TableTransform<StoredValue<Value>>) in
        transform.seal = .sealing(sealing)
      }
    }
  }

  private static func put<Value: Codable & Equatable & Sendable>(
    _ value: Value,
    _ table: TableName
  ) -> any AnyTableChanges {
    TableChanges(table: table, changes: [.put(StoredValue(value: value))])
  }
}

extension PersistedValue {
  var table: TableName { StoredValues.tableName(of: name) }

  /// Adds how the value is stored to a policy.
  func apply(to policy: inout StoragePolicy) { addTransform(&policy) }

  /// A put of the value in a state.
  func contents(of state: State) -> any AnyTableChanges { makePut(state) }

  /// A put of the value in `new`; nil if `old` has the same.
  func change(from old: State, to new: State) -> (any AnyTableChanges)? { makeChange(old, new) }

  /// Assigns the put value to a state, if the changes contain one.
  package func assign(_ changes: ChangeSet, to state: inout State) {
    let table = table
    for changes in changes.tables where changes.table == table { assignValue(changes, &state) }
  }
}

extension [any AnyTableChanges] {
  /// Puts of the values that differ between `old` and `new`.
  init<State>(_ values: [PersistedValue<State>], from old: State, to new: State) {
    self = values.compactMap { $0.change(from: old, to: new) }
  }
}

extension ChangeSet {
  /// Puts of the values of a state.
  package init<State>(_ values: [PersistedValue<State>], of state: State) {
    self.init(sorting: values.map { $0.contents(of: state) })
  }

  /// These changes and those of values, which must be changes of other tables.
  func joined(by values: [any AnyTableChanges]) -> ChangeSet {
    values.isEmpty ? self : ChangeSet(sorting: tables + values)
  }
}

extension PersistedValue {
  /// Traps for a list with a programming mistake: a name twice, or a path into the database.
  static func check<Database>(
    _ values: [PersistedValue],
    beside database: StatePath<State, Database>
  ) {
    var names: Set<String> = []
    let databaseRange = MemoryLayout<State>.offset(of: database)
      .map { $0..<$0 + MemoryLayout<Database>.size }
    for value in values {
      if !names.insert(value.name).inserted {
        fatalError(
          """
          Two values are stored under the name "\(value.name)". Give one of them another name: \
          PersistedValue("other-name", …).
          """
        )
      }
      let isInside = databaseRange.map { value.byteRange?.overlaps($0) ?? false } ?? false
      if isInside || value.path == (database as AnyKeyPath) {
        fatalError(
          """
          The persisted value "\(value.name)" is in the database or contains it, and the database \
          is stored already. Take it out of `values`, or name a part of the state beside the \
          database.
          """
        )
      }
    }
  }
}
