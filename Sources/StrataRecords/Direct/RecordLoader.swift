/// Reads many records of one layout back as values of a type, most of them the short way.
///
/// A record is read directly from its bytes where that gives exactly what `RecordReader` gives, and else
/// by that one, so results and errors are always its own. Where records keep refusing the short way,
/// which is then paid for nothing, it is tried less and less often.
///
/// One thread at a time.
package final class RecordLoader {
  private static let longestPause = 1_023

  private let reader: RecordReader
  private var session: DirectSession
  private var pause = 0
  private var left = 0

  /// A loader of the records that a reader reads.
  package init(_ reader: RecordReader) {
    self.reader = reader
    session = DirectSession(DirectTables(reader.layout.tables))
  }

  /// The layout of the records.
  package var layout: Layout { reader.layout }

  /// The value of a record.
  ///
  /// O(bytes). The bytes may be any: whatever they are, this returns or throws.
  ///
  /// - Throws: what `RecordReader` throws.
  package func decode<Value: Decodable>(
    _ type: Value.Type,
    from bytes: ArraySlice<UInt8>
  ) throws -> Value {
    if left > 0 {
      left -= 1
    } else {
      do {
        let value = try direct(type, bytes)
        pause = 0
        return value
      } catch {
        // Whatever was wrong, the reader says it better.
        pause = min(2 * pause + 1, Self.longestPause)
        left = pause
      }
    }
    return try reader.decode(type, from: bytes)
  }

  /// The value of a record, or nil when it is not read directly.
  package func decodeDirectly<Value: Decodable>(
    _ type: Value.Type,
    from bytes: ArraySlice<UInt8>
  ) -> Value? {
    do { return try direct(type, bytes) } catch { return nil }
  }

  private func direct<Value: Decodable>(
    _ type: Value.Type,
    _ bytes: ArraySlice<UInt8>
  ) throws -> Value {
    let value: Value
    do {
      value = try session.value(type, from: bytes)
    } catch {
      if !isKnownUniquelyReferenced(&session) { session = DirectSession(session.tables) }
      throw error
    }
    if isKnownUniquelyReferenced(&session) { return value }
    // The value keeps a decoder or a container to read later, which needs the bytes for as long.
    session = DirectSession(session.tables)
    throw NotDirect()
  }
}
