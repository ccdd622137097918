import Strata

/// The code of the page as it is printed, with what the page elides filled in.
enum VergeDispatcher {
  struct State: StateType {
    var count: Int = 0
    var fetchedItems: [String] = []
  }

  enum Activity {
    case happen
  }

  final class MyStore: Store<State, Activity>, @unchecked Sendable {
    init() { super.init(initialState: State()) }
  }

  /// A server that answers when the test releases it.
  final class APIClient: Sendable {
    struct Payload: Sendable {
      let text: String

      func encode(separator: Character) -> [String] {
        text.split(separator: separator).map(String.init)
      }
    }

    struct Unreachable: Error {}

    typealias Completion = @Sendable (Result<Payload, any Error>) -> Void

    private let waiting = LockedList<Completion>()

    func fetchData(_ completion: @escaping Completion) { waiting.append(completion) }

    func answer(_ result: Result<Payload, any Error>) {
      for completion in waiting.takeAll() { completion(result) }
    }
  }

  enum Defining {
    final class MyDispatcher: MyStore.Dispatcher, @unchecked Sendable {

    }
  }

  final class MyDispatcher: MyStore.Dispatcher, @unchecked Sendable {
    func doSomething() {
      commit {
        $0.count = 100
      }
    }
  }

  enum WithDependency {
    final class MyDispatcher: MyStore.Dispatcher, @unchecked Sendable {

      let apiClient: APIClient
      let failures = LockedList<String>()

      init(apiClient: APIClient, targetStore: Store<State, Activity>) {
        self.apiClient = apiClient
        super.init(targetStore: targetStore)
      }

      // The page declares `targetStore:` and calls `target:`.
      convenience init(apiClient: APIClient, target: Store<State, Activity>) {
        self.init(apiClient: apiClient, targetStore: target)
      }

      // an example of fetching data and commit
      func fetchData() {
        apiClient.fetchData { [weak self] result in
          switch result {
          case .success(let data):
            let items = data.encode(separator: ",")
            self?.commit {
              $0.fetchedItems = items
            }
          case .failure(let error):
            self?.failures.append("\(error)")
          }
        }
      }
    }
  }
}

/// The larger state of the page's second half.
enum VergeScopes {
  struct MyInfo: Equatable, Sendable {
    var name = ""
  }

  struct LoggedInState: Equatable, Sendable {
    var xxx = 0
    var myInfo = MyInfo()
  }

  struct LoggedOutState: Equatable, Sendable {
    var attempts = 0
  }

  struct Database: Equatable, Sendable {
    var names: [Int: String] = [:]
  }

  struct AppState: StateType, Equatable {
    var db = Database()
    var loggedIn = LoggedInState()
    var loggedOut = LoggedOutState()
  }

  final class MyStore: Store<AppState, Never>, @unchecked Sendable {
    init() { super.init(initialState: AppState()) }
  }

  class LoggedInDispatcher: MyStore.Dispatcher, @unchecked Sendable {

    let apiClientNeedsAuthToken = VergeDispatcher.APIClient()

    func performA() {
      commit {
        $0.loggedIn.xxx
      }
    }

    func performB() {
      commit {
        $0.loggedIn.xxx += 1
      }
    }
  }

  class LoggedOutDispatcher: MyStore.Dispatcher, @unchecked Sendable {

    let apiClientWithoutAuthToken = VergeDispatcher.APIClient()

    func attempt() {
      commit {
        $0.loggedOut.attempts += 1
      }
    }
  }

  final class LoggedInService: MyStore.ScopedDispatcher<LoggedInState>, @unchecked Sendable {

    init(store: Store) {
      super.init(targetStore: store, scope: \.loggedIn)
    }

    func someOperation() {
      commit { (state: inout LoggedInState) in
        state.xxx = 7
      }
    }

    func detachingOperation() {
      let myInfo = detached(by: \.myInfo)
      myInfo.commit { (state: inout MyInfo) in
        state.name = "Ada"
      }
    }

    func detachingFromRoot() {
      let db = detached(from: \.db)
      db.commit { (state: inout Database) in
        state.names[1] = "Ada"
      }
    }
  }
}
