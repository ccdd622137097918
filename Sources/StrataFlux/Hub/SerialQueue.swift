import StrataBase

/// A queue of dispatches that run one at a time: each starts when the one before it is finished.
final class SerialQueue: Sendable {
  private struct Elements: Sendable {
    /// Elements removed from the front are nil until they make up half of the array.
    var transactions: [DispatchTransaction?] = []
    var front = 0
  }

  private let elements = Lock(Elements())

  /// Adds a dispatch at the end, and starts it if the queue was empty.
  ///
  /// Amortized O(1).
  func append(_ transaction: DispatchTransaction) {
    let isFirst = elements.withLock { elements in
      elements.transactions.append(transaction)
      return elements.transactions.count == elements.front + 1
    }
    if isFirst { transaction.resume() }
  }

  /// Removes a finished dispatch, and starts the next one if it was the first.
  ///
  /// Amortized O(1). Removing a cancelled dispatch from the middle is O(queued dispatches).
  func remove(_ transaction: DispatchTransaction) {
    let next = elements.withLock { elements -> DispatchTransaction? in
      let queued = elements.transactions[elements.front...]
      guard let index = queued.firstIndex(where: { $0 === transaction }) else { return nil }
      guard index == elements.front else {
        elements.transactions.remove(at: index)
        return nil
      }
      elements.transactions[index] = nil
      elements.front += 1
      if elements.front * 2 >= elements.transactions.count {
        elements.transactions.removeFirst(elements.front)
        elements.front = 0
      }
      return elements.transactions[elements.front...].first ?? nil
    }
    next?.resume()
  }
}
