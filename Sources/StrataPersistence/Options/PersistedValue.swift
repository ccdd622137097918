public import StrataCore
import StrataNormalization
import StrataStorage

/// A small part of the state that is kept beside the database, under a name.
///
/// ```swift
/// let persistence = try await Persistence.open(
///   at: "app.strata", initialState: AppState(), database: \.db,
///   values: [PersistedValue("my-info", \.loggedIn.myInfo)])
/// ```
///
/// It is kept whole: each commit compares it once with `==`, and one that changed it makes a delta with
/// all of it. So it is for small things, such as settings and who is logged in; what has many parts with
/// an identity belongs into a table. An optional may be nil, and is nil again when it is restored.
///
/// A value that is new to the file starts from the initial state. A field that stored values do not
/// have yet, and that is not optional, is taken from the initial state too. What a build does not list
/// any more stays in the file.
public struct PersistedValue<State: StateType>: Sendable {
  /// The name in the file: chosen once, whatever the properties are called later.
  public let name: String

  let path: any AnyKeyPath & Sendable
  /// The bytes of a state that it takes, where it is stored in the state itself.
  let room: Range<Int>?
  private let putting: @Sendable (State) -> any AnyTableChanges
  private let comparing: @Sendable (State, State) -> (any AnyTableChanges)?
  private let placing: @Sendable (any AnyTableChanges, inout State) -> Void
  private let treating: @Sendable (inout StoragePolicy) -> Void

  /// Keeps what is at `path` under a name, sealed if a `sealing` is given.
  ///
  /// An empty name traps. So does, when the file is opened, a name that is given twice, and a path that
  /// leads into the database. Lead the path through stored properties: not through classes, where two
  /// states could not be told apart, and not through `!`, which traps while there is nothing.
  public init<Value: Codable & Equatable & Sendable>(
    _ name: String,
    _ path: StatePath<State, Value>,
    sealing: (any RecordSealing)? = nil
  ) {
    if name.isEmpty {
      fatalError("A PersistedValue must have a name: it is found under it in the file.")
    }
    let table = StoredValues.tableName(of: name)
    self.name = name
    self.path = path
    room = MemoryLayout<State>.offset(of: path).map { $0..<$0 + MemoryLayout<Value>.size }
    putting = { Self.put($0[keyPath: path], table) }
    comparing = { old, new in
      let value = new[keyPath: path]
      return old[keyPath: path] == value ? nil : Self.put(value, table)
    }
    placing = { changes, state in
      guard let changes = changes as? TableChanges<StoredValue<Value>> else { return }
      for case .put(let stored) in changes.changes { state[keyPath: path] = stored.value }
    }
    treating = { policy in
      guard let sealing else { return }
      policy.treat(table) { (transform: inout TableTransform<StoredValue<Value>>) in
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

  /// Notes how the value is stored.
  func treat(in policy: inout StoragePolicy) { treating(&policy) }

  /// The value that a state has.
  func contents(of state: State) -> any AnyTableChanges { putting(state) }

  /// The value that `new` has; nil where `old` has the same.
  func change(from old: State, to new: State) -> (any AnyTableChanges)? { comparing(old, new) }

  /// Places what was put, if it was.
  func place(_ changes: ChangeSet, in state: inout State) {
    let table = table
    for changes in changes.tables where changes.table == table { placing(changes, &state) }
  }
}

extension [any AnyTableChanges] {
  /// What has to be put so that the values of `old` are those of `new`.
  init<State>(_ values: [PersistedValue<State>], from old: State, to new: State) {
    self = values.compactMap { $0.change(from: old, to: new) }
  }
}

extension ChangeSet {
  /// The values of a state.
  init<State>(_ values: [PersistedValue<State>], of state: State) {
    self.init(tables: values.map { $0.contents(of: state) }.sorted { $0.table < $1.table })
  }

  /// These changes and those of values, none of which they touch.
  func joined(by values: [any AnyTableChanges]) -> ChangeSet {
    values.isEmpty ? self : ChangeSet(tables: (tables + values).sorted { $0.table < $1.table })
  }
}

extension PersistedValue {
  /// Stops the program where the list cannot be meant.
  static func check<Database>(
    _ values: [PersistedValue],
    beside database: StatePath<State, Database>
  ) {
    var names: Set<String> = []
    let room = MemoryLayout<State>.offset(of: database)
      .map { $0..<$0 + MemoryLayout<Database>.size }
    for value in values {
      if !names.insert(value.name).inserted {
        fatalError(
          """
          Two values are to be kept under the name "\(value.name)". Give one of them another name: \
          PersistedValue("other-name", …).
          """
        )
      }
      let isInside = room.map { value.room?.overlaps($0) ?? false } ?? false
      if isInside || value.path == (database as AnyKeyPath) {
        fatalError(
          """
          The value "\(value.name)" is in the database or holds it, which is kept already. Take it \
          out of `values`, or keep a part of the state beside the database.
          """
        )
      }
    }
  }
}
