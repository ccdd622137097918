/// How an operation ended.
enum OperationOutcome: Sendable {
  case finished
  case failed(any Error)

  var error: (any Error)? {
    switch self {
    case .finished: nil
    case .failed(let error): error
    }
  }
}
