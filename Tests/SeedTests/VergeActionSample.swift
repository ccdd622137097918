import Dispatch
import Strata
import StrataBase

/// The code of the page as it is printed, with what the page elides filled in.
enum VergeAction {
  struct Todo: Equatable, Sendable {
    var title: String
  }

  struct State: StateType, Equatable {
    var count = 0
    var todos: [Todo] = []
  }

  final class MyStore: Store<State, Never>, @unchecked Sendable {
    init() { super.init(initialState: State()) }
  }

  enum Declaring {
    class MyDispatcher: MyStore.Dispatcher, @unchecked Sendable {

      func someMutation() -> Mutation<Void> {
        .mutation { $0.count += 1 }
      }

      func someAsyncOperation() -> Action<Void> {
        return .action { context -> Void in
          // Do something async operation.
          context.commit { $0.someMutation() }

          context.commit { $0.someMutation() }
        }
      }

    }
  }

  enum Creating {
    class MyDispatcher: MyStore.Dispatcher, @unchecked Sendable {

      func someAsyncOperation() -> Action<Void> {
        .action { context in
          // Do something async operation.
        }
      }

    }
  }

  class MyDispatcher: MyStore.Dispatcher, @unchecked Sendable {

    func someMutation() -> Mutation<Void> {
      .mutation { $0.count += 1 }
    }

    func someAsyncOperation() -> Action<Void> {
      .action { context in
        context.commit { $0.someMutation() }
      }
    }

  }

  enum Asynchronous {
    class MyDispatcher: MyStore.Dispatcher, @unchecked Sendable {

      let committed = DispatchSemaphore(value: 0)

      func someMutation() -> Mutation<Void> {
        .mutation { $0.count += 1 }
      }

      func someAsyncOperation() -> Action<Void> {
        .action { [committed] context in
          DispatchQueue.global().async {
            context.commit { $0.someMutation() }
            committed.signal()
          }
        }
      }

    }
  }

  enum Inline {
    class MyDispatcher: MyStore.Dispatcher, @unchecked Sendable {

      func someAsyncOperation() -> Action<Void> {
        .action { context in
          context.commitInline { state in
            state.count = 7
          }
        }
      }

    }
  }

  /// A value that comes later, in place of Combine's.
  final class Future<Output: Sendable, Failure: Error>: Sendable {
    typealias Promise = @Sendable (Output) -> Void

    private struct Waiting: Sendable {
      var output: Output?
      var receivers: [Promise] = []
    }

    private let waiting = Lock(Waiting())

    init(_ start: (@escaping Promise) -> Void) {
      start { [waiting] output in
        let receivers = waiting.withLock { waiting in
          waiting.output = output
          return waiting.receivers
        }
        for receive in receivers { receive(output) }
      }
    }

    @discardableResult
    func sink(_ receive: @escaping Promise) -> Cancellable<Output, Failure> {
      let output = waiting.withLock { waiting in
        waiting.receivers.append(receive)
        return waiting.output
      }
      if let output { receive(output) }
      return Cancellable(future: self)
    }
  }

  struct AnyCancellable: Hashable {
    private let identity: ObjectIdentifier
    init(_ object: AnyObject) { identity = ObjectIdentifier(object) }
  }

  struct Cancellable<Output: Sendable, Failure: Error> {
    let future: Future<Output, Failure>

    /// Gives the future that is done when this one is, which is what the page returns.
    func store(in subscriptions: inout Set<AnyCancellable>) -> Future<Void, Never> {
      subscriptions.insert(AnyCancellable(future))
      return Future<Void, Never> { done in future.sink { _ in done(()) } }
    }
  }

  enum Returning {
    class MyDispatcher: MyStore.Dispatcher, @unchecked Sendable {

      var subscriptions = Set<AnyCancellable>()
      let answers = LockedList<@Sendable ([Todo]) -> Void>()

      // The page writes `Action<Future<Void>>`, leaving out `Never`.
      func fetchRemoteTodos() -> Action<Future<Void, Never>> {
        .dispatch { context in

          let future = Future<[Todo], Never> { self.answers.append($0) }
            .sink { todos in

              context.commit { state in
                state.todos = todos
              }

            }
            .store(in: &self.subscriptions)

          return future
        }
      }
    }
  }
}
