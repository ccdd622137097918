import StrataBase

/// Dispatches that go one after another: each starts when the one before it is done.
final class SerialLine: Sendable {
  private struct Line: Sendable {
    /// Those that left from the front are nil, until they are half of the line.
    var places: [DispatchTransaction?] = []
    var front = 0
  }

  private let line = Lock(Line())

  /// Puts a dispatch at the end of the line, and starts it when it is alone.
  ///
  /// Amortised O(1).
  func append(_ transaction: DispatchTransaction) {
    let isFirst = line.withLock { line in
      line.places.append(transaction)
      return line.places.count == line.front + 1
    }
    if isFirst { transaction.goOn() }
  }

  /// Takes a dispatch that is done out of the line, and starts the next one if it was the first.
  ///
  /// Amortised O(1); one that was cancelled may leave from the middle, O(dispatches that wait).
  func remove(_ transaction: DispatchTransaction) {
    let next = line.withLock { line -> DispatchTransaction? in
      guard let place = line.places[line.front...].firstIndex(where: { $0 === transaction }) else {
        return nil
      }
      guard place == line.front else {
        line.places.remove(at: place)
        return nil
      }
      line.places[place] = nil
      line.front += 1
      if line.front * 2 >= line.places.count {
        line.places.removeFirst(line.front)
        line.front = 0
      }
      return line.places[line.front...].first ?? nil
    }
    next?.goOn()
  }
}
