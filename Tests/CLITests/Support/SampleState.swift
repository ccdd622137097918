import Strata

struct SampleState: StateType {
  var db = SampleDatabase()

  /// The state of a new file: a user and a note, which no delta contains.
  static var initial: SampleState {
    var state = SampleState()
    state.db.users.insert(User(id: 1, name: "Initial Ida"))
    state.db.notes.insert(Note(id: "welcome", text: "hello\nworld"))
    return state
  }
}
