import Strata

/// The state of the program: the database, and what lasts only as long as the process.
struct AppState: StateType {
  /// What happened since launch; it is outside the database, so it is not in the file.
  struct Session: Sendable {
    var imported = 0
  }

  var db = Database()
  var session = Session()
}
