import StrataCore
import StrataEntityStore
import StrataNormalization
import TestSupport
import Testing

private struct Note: EntityType {
  typealias RawID = Int
  static let tableName: TableName = "notes"

  let id: EntityID<Note>
  var folder: String
  var tags: [String] = []
  var text = ""

  static let byFolder = GroupIndex(\Note.folder)
  static let byTag = GroupIndex(each: \Note.tags)
  static let indexes: EntityIndexes<Note> = [byFolder, byTag]
}

private struct Notes: DatabaseType, StateType {
  var notes = EntityTable<Note>()
  var archive = EntityTable<Note>()

  static let schema = DatabaseSchema<Notes> {
    Entities(\.notes)
    Entities(\.archive, named: "archive")
  }
}

private typealias NoteStore = Store<Notes, Never>

@Suite struct DerivedGroupTests {
  private let store: NoteStore

  init() {
    var notes = Notes()
    notes.notes = [
      Note(id: 1, folder: "a", tags: ["x"]), Note(id: 2, folder: "a"), Note(id: 3, folder: "b"),
    ]
    store = NoteStore(initialState: notes)
  }

  /// What a subscriber of a group receives: the IDs, each time.
  private func follow(
    _ derived: Derived<IndexedEntities<Note>>
  ) -> (received: Recorder<[Int]>, subscription: StoreSubscription) {
    let received = Recorder<[Int]>()
    return (received, derived.sinkValue { received.record($0.value.map(\.id.raw)) })
  }

  @Test func `a group is told when an entity enters or leaves it`() throws {
    let (received, subscription) = follow(store.derived(Note.byFolder, of: "a", in: \.notes))
    store.commit { $0.notes.insert(Note(id: 4, folder: "a")) }
    try store.commit { try $0.notes.update(1) { $0.folder = "b" } }
    store.commit { $0.notes.remove(2) }
    #expect(received.elements == [[1, 2], [1, 2, 4], [2, 4], [4]])
    subscription.cancel()
  }

  @Test func `a group is told when an entity in it is written`() throws {
    let texts = Recorder<[String]>()
    let group = store.derived(Note.byFolder, of: "b", in: \.notes)
    let subscription = group.sinkValue { texts.record($0.value.map(\.text)) }
    try store.commit { try $0.notes.update(3) { $0.text = "new" } }
    #expect(texts.elements == [[""], ["new"]])
    subscription.cancel()
  }

  @Test func `commits to other groups and tables tell nothing`() throws {
    let (received, subscription) = follow(store.derived(Note.byFolder, of: "b", in: \.notes))
    try store.commit { try $0.notes.update(1) { $0.text = "new" } }
    store.commit { $0.archive.insert(Note(id: 3, folder: "b")) }
    store.commit { $0.notes.insert(Note(id: 9, folder: "c")) }
    #expect(received.elements == [[3]])
    subscription.cancel()
  }

  @Test func `a group that does not exist yet is empty, and told when it begins`() {
    let (received, subscription) = follow(store.derived(Note.byTag, of: "y", in: \.notes))
    store.commit { $0.notes.insert(Note(id: 5, folder: "a", tags: ["x", "y"])) }
    store.commit { $0.notes.insert(Note(id: 5, folder: "a", tags: ["x"])) }
    #expect(received.elements == [[], [5], []])
    subscription.cancel()
  }

  @Test func `a reader sees the last commit without subscribing`() {
    let group = store.derived(Note.byFolder, of: "a", in: \.notes)
    #expect(group.value.map(\.id) == [1, 2])
    store.commit { $0.notes.remove(1) }
    #expect(group.value.map(\.id) == [2])
  }

  @Test func `asking again gives the same object, other indexes and keys others`() {
    let group = store.derived(Note.byFolder, of: "a", in: \.notes)
    #expect(store.derived(Note.byFolder, of: "a", in: \.notes) === group)
    #expect(store.derived(Note.byFolder, of: "b", in: \.notes) !== group)
    #expect(store.derived(Note.byTag, of: "a", in: \.notes) !== group)
    #expect(store.derived(Note.byFolder, of: "a", in: \.archive) !== group)
  }

  @Test func `each group is told what looking at everything gives, in any sequence of commits`() {
    for seed in 0..<UInt64(loopCount("STRATA_SEQUENCES", 300)) {
      var generator = SeededGenerator(seed: seed)
      let store = NoteStore(initialState: Notes())
      let folders = ["a", "b", "c"]
      let followed = folders.map { follow(store.derived(Note.byFolder, of: $0, in: \.notes)) }
      var expected: [[[Int]]] = folders.map { _ in [[]] }
      var older: [EntityTable<Note>] = []
      for step in 0..<20 {
        let before = store.state.notes
        store.commit { state in
          switch Int.random(in: 0..<6, using: &generator) {
          case 0: state.notes = older.randomElement(using: &generator) ?? []
          case 1: state.notes.remove(Note.ID(Int.random(in: 0..<6, using: &generator)))
          default:
            let id = Note.ID(Int.random(in: 0..<6, using: &generator))
            let folder = folders.randomElement(using: &generator) ?? "a"
            state.notes.insert(Note(id: id, folder: folder, text: "\(step)"))
          }
        }
        let after = store.state.notes
        older.append(after)
        for (index, folder) in folders.enumerated() {
          let old = before.filter { $0.folder == folder }.sorted { $0.id < $1.id }
          let new = after.filter { $0.folder == folder }.sorted { $0.id < $1.id }
          if old != new { expected[index].append(new.map(\.id.raw)) }
        }
      }
      for (index, follower) in followed.enumerated() {
        #expect(follower.received.elements == expected[index], "\(generator)")
        follower.subscription.cancel()
      }
    }
  }
}
