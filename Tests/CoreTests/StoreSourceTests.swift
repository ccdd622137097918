import StrataCore
import TestSupport
import Testing

@Suite struct StoreSourceTests {
  /// Starts at a count, and installs its hook in the store it is attached to.
  final class CountSource: StoreSource {
    let initialState: LibraryState
    let hook: RecordingHook
    let attached = Recorder<ObjectIdentifier>()

    init(count: Int) {
      var state = LibraryState()
      state.count = count
      initialState = state
      hook = RecordingHook("source")
    }

    func attach<Activity: Sendable>(to store: Store<LibraryState, Activity>) {
      attached.record(ObjectIdentifier(store))
      store.hook(where: { $0 === hook }, orInstall: { hook })
    }
  }

  final class NamedStore: Store<LibraryState, LibraryActivity>, @unchecked Sendable {
    let label: String

    init(label: String, source: any StoreSource<LibraryState>) {
      self.label = label
      super.init(source)
    }
  }

  let source = CountSource(count: 7)

  @Test func `a store starts with the value of its source`() {
    #expect(LibraryStore(source).state.count == 7)
  }

  @Test func `a store starts at version 0 whatever its source restored`() {
    #expect(LibraryStore(source).changes.version == 0)
  }

  @Test func `a store attaches its source once`() {
    let store = LibraryStore(source)
    #expect(source.attached.elements == [ObjectIdentifier(store)])
  }

  @Test func `the first commit reaches the hook of the source`() {
    let store = LibraryStore(source)
    store.commit { $0.count += 1 }
    #expect(source.hook.calls.elements.suffix(2) == ["source did end 7 8", "source did happen 1"])
  }

  @Test func `a subclass with stored properties and its own init starts from a source`() {
    let store = NamedStore(label: "main", source: source)
    #expect(store.label == "main")
    #expect(store.state.count == 7)
  }

  @Test func `a subclass attaches its source once`() {
    let store = NamedStore(label: "main", source: source)
    #expect(source.attached.elements == [ObjectIdentifier(store)])
  }

  @Test func `a store of a source is named after its type`() {
    #expect(NamedStore(label: "main", source: source).name == "NamedStore")
  }
}
