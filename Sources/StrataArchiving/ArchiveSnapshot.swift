public import Foundation
import StrataBase
package import StrataJournal

/// A snapshot in an archive.
public struct ArchiveSnapshot: Sendable, Equatable {
  /// Its place in the history.
  public var mark: HistoryMark
  /// When the last commit in it was made.
  public var time: Date
  /// The names that people gave it.
  public var names: [String]
  /// How many entities it has.
  public var entities: Int
  /// The size of its entities.
  public var bytes: Int64

  /// Creates a snapshot, as an archive reads it.
  public init(mark: HistoryMark, time: Date, names: [String], entities: Int, bytes: Int64) {
    self.mark = mark
    self.time = time
    self.names = names
    self.entities = entities
    self.bytes = bytes
  }

  init(_ header: SnapshotHeader, names: [String]) {
    self.init(
      mark: HistoryMark(header.revision, header.chain),
      time: Date(microseconds: header.time),
      names: names,
      entities: header.entities,
      bytes: Int64(header.bytes)
    )
  }

  /// A summary of its contents, for messages.
  var summary: String {
    let named = names.isEmpty ? "" : ", and is named \(names.sorted().joined(separator: ", "))"
    return "\(entities) entities at \(mark), committed by \(time.ISO8601Format())\(named)"
  }

  /// Whether another says the same, apart from the size of its entities.
  func says(_ other: ArchiveSnapshot) -> Bool {
    mark == other.mark && entities == other.entities && Set(names) == Set(other.names)
      && time.nearestMicrosecond == other.time.nearestMicrosecond
  }

  /// Why it cannot belong to a history; nil if it can.
  package var flaw: String? {
    mark.isWellFormed && entities >= 0 && bytes >= 0
      ? nil : "no snapshot has \(entities) entities of \(bytes) bytes at \(mark)"
  }

  /// What a snapshot consists of.
  public struct List: Sendable, Equatable {
    /// A store's file with the snapshot, in which only the bodies of the chunks are missing.
    public var image: [UInt8]
    /// The chunks by their numbers in the file.
    public var chunks: [Int64: ArchiveChunk.ID]

    /// Creates a list.
    public init(image: [UInt8], chunks: [Int64: ArchiveChunk.ID]) {
      self.image = image
      self.chunks = chunks
    }
  }
}

/// A run of entities that snapshots list.
public struct ArchiveChunk: Sendable, Equatable {
  /// The SHA-256 of a chunk: chunks with the same one are the same.
  public struct ID: Hashable, Sendable, CustomStringConvertible {
    /// 64 hexadecimal digits.
    public let description: String

    /// Creates an ID from 64 hexadecimal digits; nil for anything else.
    public init?(_ digits: String) {
      guard digits.utf8.count == 64, digits.utf8.allSatisfy(Self.isDigit) else { return nil }
      description = digits
    }

    init(of body: [UInt8]) {
      description = SHA256.hash(body).map { byte in
        String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
      }.joined()
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
      (0x30...0x39).contains(byte) || (0x61...0x66).contains(byte)
    }
  }

  /// The hash of the body.
  public let id: ID
  /// The bytes.
  public let body: [UInt8]

  /// Creates a chunk, as an archive reads it; the hash is compared when it is used.
  public init(id: ID, body: [UInt8]) {
    self.id = id
    self.body = body
  }

  package init(body: [UInt8]) { self.init(id: ID(of: body), body: body) }

  /// - Throws: `CorruptionError` if the hash of the body differs.
  package func check() throws(CorruptionError) {
    let computed = ID(of: body)
    guard computed == id else {
      throw CorruptionError("chunk \(id) of the archive has the hash \(computed)")
    }
  }
}
