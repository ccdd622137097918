/// Dispatches that go one after another: each starts when the one before it is done.
final class SerialLine: Sendable {
  private let line = Lock<[DispatchTransaction]>([])

  /// Puts a dispatch at the end of the line, and starts it when it is alone.
  func append(_ transaction: DispatchTransaction) {
    let isFirst = line.withLock { line in
      line.append(transaction)
      return line.count == 1
    }
    if isFirst { transaction.goOn() }
  }

  /// Takes a dispatch that is done out of the line, and starts the next one if it was the first.
  ///
  /// One that was cancelled may leave from the middle. O(dispatches that wait).
  func remove(_ transaction: DispatchTransaction) {
    let next = line.withLock { line -> DispatchTransaction? in
      guard let place = line.firstIndex(where: { $0 === transaction }) else { return nil }
      line.remove(at: place)
      return place == 0 ? line.first : nil
    }
    next?.goOn()
  }
}
