public import Foundation
import StrataBase
import StrataJournal

/// An archive at a place that keeps objects by their names: files of a folder, rows of a table, an object store over HTTP.
///
/// A place implements five operations: ``get(_:)``, ``put(_:as:if:)``, ``list(_:after:)``, ``remove(_:)`` and
/// ``Archive/hints()``. Every rule of an archive is here, over these. Where one request can do more,
/// ``get(_:bytes:)`` and ``put(_:andHead:if:)`` may be implemented as well.
///
/// ```
/// head                                            who leads, how far it is, and what belongs to it
/// segments/<last>-<first>-<before>-<chain>-<round>  deltas
/// snapshots/<revision>-<number>-<round>           a snapshot and the names of its chunks
/// images/<revision>-<number>-<round>              the image of a snapshot
/// images/catalog-<number>-<round>                 everything that is in no delta
/// chunks/<SHA-256>-<round>                        runs of entities
/// ```
///
/// The object `head` is the only one that is replaced, on the condition that it is the one that was read: that is the
/// only point of decision. All others are written once, and count when the head names them: the last segment by the chain at
/// its end, and each segment names the one before it by the chain at its start. What a head does not name is left over from
/// a change that failed, and no reader sees it.
///
/// *Rounds* make removing safe without a clock. A new leader, a restart and a removal raise the number in the head. An object
/// that is put bears the round of the head that will name it, so what a head of a later round does not name will never be
/// named: it may be removed at any time, also by a process that was stopped meanwhile.
///
/// To implement another place, follow these rules. Each operation takes effect whole or not at all, and its effect is where it
/// is to survive when it returns. After `ArchiveError.Reason.away(_:)` it may have taken effect, or may do so later. A place
/// whose answer was lost does not repeat a put: the head is read again, which says whether it is there.
public protocol ObjectArchive: Archive {
  /// What this value has read and put, so that it need not ask again.
  var memory: ObjectMemory { get }

  /// An object; nil if there is none.
  func get(_ name: String) async throws(ArchiveError) -> ObjectContents?

  /// Puts an object if the condition holds; returns its tag, and nil if it did not hold.
  ///
  /// Objects other than `head` are only put if they are absent.
  func put(
    _ body: [UInt8],
    as name: String,
    if condition: ObjectCondition
  ) async throws(ArchiveError) -> ObjectContents.Tag?

  /// The objects whose names begin with a prefix and sort after a name by their bytes; in any order.
  func list(_ prefix: String, after name: String) async throws(ArchiveError)
    -> [ObjectEntry]

  /// Removes objects; those that are not there count as removed.
  func remove(_ names: [String]) async throws(ArchiveError)

  /// The first of these objects, in their order, up to about a number of bytes; those that are not there are left out.
  ///
  /// At least one if one is there. Without an implementation it gets one after the other.
  func get(_ names: [String], bytes: Int) async throws(ArchiveError) -> [NamedBody]

  /// Puts objects that are absent, then `head` if it has a tag; returns the tag of the new head, and nil if it had another one.
  ///
  /// Then the objects may be there. Without an implementation it puts one after the other.
  func put(
    _ objects: [NamedBody],
    andHead head: [UInt8],
    if tag: ObjectContents.Tag
  ) async throws(ArchiveError) -> ObjectContents.Tag?
}

extension ObjectArchive {
  /// Gets one after the other.
  public func get(_ names: [String], bytes: Int) async throws(ArchiveError) -> [NamedBody] {
    var (objects, size) = ([NamedBody](), 0)
    for name in names {
      if !objects.isEmpty, size >= bytes { break }
      guard let object = try await get(name) else { continue }
      objects.append(NamedBody(name: name, body: object.body))
      size += object.body.count
    }
    return objects
  }

  /// Puts one after the other.
  public func put(
    _ objects: [NamedBody],
    andHead head: [UInt8],
    if tag: ObjectContents.Tag
  ) async throws(ArchiveError) -> ObjectContents.Tag? {
    for object in objects { _ = try await put(object.body, as: object.name, if: .absent) }
    return try await put(head, as: ObjectContents.headName, if: .tag(tag))
  }
}

/// An object that is written once.
public struct NamedBody: Sendable, Equatable {
  /// The name.
  public let name: String
  /// The bytes.
  public let body: [UInt8]

  /// Creates an object.
  public init(name: String, body: [UInt8]) { (self.name, self.body) = (name, body) }
}

/// An object of an archive, as it was read.
public struct ObjectContents: Sendable, Equatable {
  /// Stands for the contents of a name at one time.
  ///
  /// Each put of `head` gives it another one, which it never had before. It may be a hash of the bytes: no two heads have
  /// the same. That of another object has no meaning.
  public typealias Tag = String

  /// The name of the object that says who leads, and what belongs to the archive.
  public static let headName = "head"

  /// The bytes.
  public let body: [UInt8]
  /// The tag.
  public let tag: Tag
  /// When it was put, by the clock of the place; meant for `head` alone.
  public let time: Date
  /// How long ago that was, by the same clock.
  public let age: Duration

  /// Creates an object.
  public init(body: [UInt8], tag: Tag, time: Date, age: Duration) {
    (self.body, self.tag, self.time, self.age) = (body, tag, time, age)
  }
}

/// When an object is put.
public enum ObjectCondition: Sendable, Equatable {
  /// If there is none of the name.
  case absent
  /// If the one that is there has this tag.
  case tag(ObjectContents.Tag)
}

/// An object in a list.
public struct ObjectEntry: Sendable, Equatable {
  /// The name.
  public let name: String
  /// How many bytes it has.
  public let size: Int64
  /// How long ago it was put, by the clock of the place.
  public let age: Duration

  /// Creates an entry.
  public init(name: String, size: Int64, age: Duration) {
    (self.name, self.size, self.age) = (name, size, age)
  }
}

/// What a value of an archive has read and put: the names of the chunks of the list that was read last, so that they are found
/// without another list, the head that it has put, so that its next change does not read it, and the one that it has read.
///
/// A value of an archive has one of its own.
public final class ObjectMemory: Sendable {
  private struct Memory {
    var names: [ArchiveChunk.ID: ChunkName] = [:]
    var head: TaggedHead?
    var read: (body: [UInt8], head: ObjectHead)?
  }

  private let memory = Lock(Memory())

  /// Nothing.
  public init() {}

  /// Forgets the names, and takes these.
  func replaceNames(by new: some Sequence<ChunkName>) {
    memory.withLock { $0.names = [:] }
    add(new)
  }

  func add(_ new: some Sequence<ChunkName>) {
    memory.withLock { memory in
      for name in new { memory.names[name.id] = name }
    }
  }

  func find(_ id: ArchiveChunk.ID) -> ChunkName? { memory.withLock { $0.names[id] } }

  /// The head in an object: one with the bytes of the last one is not parsed again.
  func head(of object: ObjectContents) throws -> ObjectHead {
    if let read = memory.withLock({ $0.read }), read.body == object.body { return read.head }
    let head = try ObjectHead(object)
    memory.withLock { $0.read = (object.body, head) }
    return head
  }

  func keep(_ head: TaggedHead) { memory.withLock { $0.head = head } }

  /// Returns the head and forgets it: another process may have replaced it.
  func takeHead() -> TaggedHead? {
    memory.withLock { memory in
      defer { memory.head = nil }
      return memory.head
    }
  }
}

/// A head that names a store, and its tag.
struct TaggedHead: Sendable {
  let head: ObjectHead
  let tag: ObjectContents.Tag
}

extension ObjectArchive {
  func list(_ prefix: String) async throws(ArchiveError) -> [ObjectEntry] {
    try await list(prefix, after: "")
  }

  /// Runs `body`, and says which archive its errors are about.
  func perform<R>(_ body: () async throws -> R) async throws(ArchiveError) -> R {
    do {
      return try await body()
    } catch let error as ArchiveError {
      throw error
    } catch let error as ArchiveError.Reason {
      throw ArchiveError(error, archive: name)
    } catch let error as CorruptionError {
      throw ArchiveError(.damaged(error.detail), archive: name)
    } catch {
      throw ArchiveError(.away("\(error)"), archive: name)
    }
  }
}
