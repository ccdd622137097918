public import Foundation
import StrataBase

extension RecorderMiddleware {
  /// The recording as JSON: base, entries, what is skipped, and the position.
  ///
  /// The states and actions of every store must be `Codable`. O(limit) states.
  ///
  /// - Throws: ``RecorderError/notCodable(store:type:)``, and what encoding throws.
  public func export() throws -> Data {
    let (log, codings) = desk.withLock { ($0.log, $0.codings) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    return try encoder.encode(Recording(log: log, codings: codings))
  }

  /// Shows a recording that was exported, here or elsewhere, at the position where it was.
  ///
  /// That is travelling: nothing runs and nothing is written. ``returnToPresent()`` goes back, to
  /// what was recorded here as well; ``branch()`` and ``commit()`` go on from what is shown.
  /// Registered stores that the recording does not have stay as they are. What `reduce` did can be
  /// worked out anew when an earlier entry is skipped; of other changes the recording knows the
  /// outcome only. O(states in it + stores).
  ///
  /// - Throws: ``RecorderError/unreadable(_:)``, also for a store that is not registered here;
  ///   ``RecorderError/notCodable(store:type:)``; ``RecorderError/refused(store:_:)``.
  public func `import`(_ data: Data) throws(RecorderError) {
    let codings = desk.withLock { $0.codings }
    let imported = try read(data, codings)
    try ending { () throws(RecorderError) in
      try moving(.elsewhere) { log in
        var imported = imported
        let present = desk.withLock { $0.travel?.present } ?? log
        for (store, moment) in present.momentAtEnd where imported.base[store] == nil {
          imported.add(store, moment.state)
        }
        log = imported
      }
    }
  }

  private func read(
    _ data: Data,
    _ codings: [String: any StoreCoding]
  ) throws(RecorderError) -> RecorderLog {
    let decoder = JSONDecoder()
    decoder.userInfo[.storeCodings] = codings
    do {
      return try decoder.decode(Recording.self, from: data).log
    } catch let error as RecorderError {
      throw error
    } catch {
      throw .unreadable("\(error)")
    }
  }
}
