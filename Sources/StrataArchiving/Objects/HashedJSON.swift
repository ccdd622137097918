import Foundation
import StrataBase
import StrataJournal

/// A line of JSON that begins an object of an archive, or is one.
///
/// It contains a hash of itself: with one digit changed it would be the line of another segment or snapshot, or the head
/// would be led for years.
protocol HashedJSON: Codable {
  /// The hash of the line without this member; nil while it is not computed.
  var hash: String? { get set }
}

extension HashedJSON {
  /// Reads a line.
  ///
  /// - Throws: `CorruptionError` if it is not such a line, or its hash differs.
  init(reading line: some Sequence<UInt8>, of place: String) throws {
    do {
      self = try JSONDecoder().decode(Self.self, from: Data(line))
    } catch {
      throw CorruptionError("\(place) cannot be read: \(error)")
    }
    guard let stored = hash else { throw CorruptionError("\(place) has no hash") }
    let computed = try computedHash()
    guard stored == computed else {
      throw CorruptionError("hash mismatch in \(place): stored \(stored), computed \(computed)")
    }
  }

  /// The line with its hash.
  func encoded() throws -> [UInt8] {
    var line = self
    line.hash = try computedHash()
    return try line.json()
  }

  private func computedHash() throws -> String {
    var line = self
    line.hash = nil
    return Checksum(of: try line.json()).description
  }

  private func json() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(try encoder.encode(self))
  }
}
