/// The error of an entry as it is exported: what failed, and its description.
struct RecordedError: Codable {
  private struct Failure: Codable {
    let store: String
    let error: String
    var cancelled: Bool?
    /// Whether a store that this one waits for failed.
    var unreached: Bool?
  }

  /// An error of an imported recording, whose type is not known.
  private struct Described: Error, CustomStringConvertible {
    let description: String
  }

  private var failures: [Failure] = []

  /// Without failures, the dispatch was discarded.
  init(_ error: DispatchError) {
    guard case .failed(let failures) = error else { return }
    self.failures = failures.map { failure in
      switch failure.error as? OperationError {
      case .cancelled?: Failure(store: failure.store, error: "cancelled", cancelled: true)
      case .dependencyFailed(let cause)?:
        Failure(store: failure.store, error: "\(cause)", unreached: true)
      default: Failure(store: failure.store, error: "\(failure.error)")
      }
    }
  }

  var dispatchError: DispatchError {
    if failures.isEmpty { return .discarded }
    return .failed(
      failures.map { failure in
        let described = Described(description: failure.error)
        let error: any Error =
          if failure.cancelled == true {
            OperationError.cancelled
          } else if failure.unreached == true {
            OperationError.dependencyFailed(described)
          } else {
            described
          }
        return StoreFailure(store: failure.store, error: error)
      }
    )
  }

  /// The failure of a reducer.
  static func failure(_ description: String) -> any Error { Described(description: description) }
}
