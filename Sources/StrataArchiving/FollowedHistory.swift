import Foundation
import StrataBase
package import StrataJournal
import StrataSchema

/// The history of a store that another process writes.
package protocol FollowedHistory: Sendable {
  /// The name of what is followed, for messages.
  var name: String { get }

  /// Some deltas after a mark, in order; none if there are no more yet.
  ///
  /// Throws ``RewoundHistory`` if the history does not continue the mark.
  func deltas(after mark: HistoryMark, bytes: Int) async throws -> FollowedDeltas

  /// The lineage that it is in; nil if it has no commits yet.
  func lineage() async throws -> Lineage.ID?

  /// Elements that arrive soon after there are more deltas; nil if there are no hints.
  func hints() -> AsyncStream<Void>?
}

/// Some deltas of a history.
package struct FollowedDeltas: Sendable {
  /// What the archive has said of itself; nil for a file.
  package var head: ArchiveHead?
  /// A number that changes once the lineage has; nil if it is not known.
  package var term: Int64?
  package var frames: [DeltaFrame] = []
  /// The archive's catalog, if a run of migrations has written one of them.
  package var catalog: ArchiveCatalog?
}

/// A history that does not continue that of a follower: it was taken back, or the next deltas were removed.
package struct RewoundHistory: Error {
  package init() {}
}

/// The history in an archive.
package struct ArchivedHistory: FollowedHistory {
  private let archive: any Archive

  package init(_ archive: any Archive) { self.archive = archive }

  package var name: String { "the archive \(archive.name)" }

  package func hints() -> AsyncStream<Void>? { archive.hints() }

  package func deltas(after mark: HistoryMark, bytes: Int) async throws -> FollowedDeltas {
    guard let head = try await archive.head() else {
      throw ArchiveError(.empty, archive: archive.name)
    }
    let frames = try await frames(after: mark, head, bytes: bytes)
    var deltas = FollowedDeltas(head: head, term: head.epoch, frames: frames)
    if frames.haveMigrations {
      deltas.catalog = try await ArchiveCatalog(of: archive)
      if try await archive.head(replacing: head.mark) != nil { throw RewoundHistory() }
    }
    return deltas
  }

  package func lineage() async throws -> Lineage.ID? {
    try await archive.currentCatalog()?.lineages().last?.id
  }

  private func frames(
    after mark: HistoryMark,
    _ head: ArchiveHead,
    bytes: Int
  ) async throws -> [DeltaFrame] {
    if head.mark == mark { return [] }
    // An archive that went back may get other commits than those it has lost.
    guard head.mark.revision > mark.revision else { throw RewoundHistory() }
    let segments = try await archive.segments(after: mark.revision, bytes: bytes)
    guard let first = segments.first, first.start.revision <= mark.revision else {
      throw RewoundHistory()
    }
    var frames: [DeltaFrame] = []
    var end = mark
    for segment in segments {
      guard let next = try ArchivePull.frames(of: segment, after: end) else {
        if frames.isEmpty { throw RewoundHistory() }
        return frames
      }
      frames += next
      if let last = next.last { end = HistoryMark(last.header.revision, last.chain) }
    }
    return frames
  }
}

/// The history in a file on this machine.
package struct FileHistory: FollowedHistory {
  private let path: StorePath
  private let file: FileInspector

  package init(_ path: StorePath) {
    self.path = path
    file = FileInspector(path, on: .system)
  }

  package var name: String { path.file }

  package func hints() -> AsyncStream<Void>? { nil }

  /// The head beside the file shows whether there is something new, so the file itself is opened only then.
  package func deltas(after mark: HistoryMark, bytes: Int) async throws -> FollowedDeltas {
    let head = try HeadFile.read(path.head)
    if let head, HistoryMark(head.written.revision, head.written.chain) == mark {
      return FollowedDeltas(term: head.lineage.number)
    }
    do {
      let frames = try await file.read { view -> [DeltaFrame]? in
        if view.last.revision < mark.revision { return nil }
        var reader = try FrameReader(view, after: mark.revision, bytes: bytes)
        guard reader.chain == mark.checksum else { return nil }
        var frames: [DeltaFrame] = []
        var size = 0
        while size < bytes, let frame = try reader.next() {
          size += frame.header.footprint
          frames.append(frame)
        }
        return frames
      }
      // If its writer has died, a copy of the store was read: next time the file itself may have more.
      await file.close()
      guard let frames else { throw RewoundHistory() }
      return FollowedDeltas(term: head?.lineage.number, frames: frames)
    } catch let error as PersistenceError {
      await file.close()
      switch error.reason {
      case .trimmed, .merged, .notReached: throw RewoundHistory()
      default: throw error
      }
    }
  }

  package func lineage() async throws -> Lineage.ID? {
    let lineage: Lineage.ID
    do {
      lineage = try await file.read(\.identity.lineage)
    } catch {
      await file.close()
      throw error
    }
    await file.close()
    return lineage
  }
}
