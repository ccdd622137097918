import Foundation
public import StrataJournal

/// A place away from the file that keeps the history of one store: ``FolderArchive``, or `PostgresArchive` of
/// `StrataPostgres`.
///
/// The writer's process appends to it while it *leads*. Leading raises the epoch, and everything that is
/// written names its ``ArchiveTerm``, the epoch and the leader: what a former leader still sends is refused, however late
/// it arrives. A lease determines when another process may lead; no guarantee depends on it or on a clock.
///
/// An archive has *segments*, each some deltas as frames, and snapshots, whose chunks are kept by their
/// hashes. Segments continue each other: the chain of one starts where the previous one ends. A gap occurs
/// only before a snapshot that was added because segments were too far behind.
///
/// To implement it for another place, implement ``ObjectArchive``, which has all the rules over five operations. An archive that
/// implements these methods itself follows the same rules. Each operation takes effect whole or not at all,
/// and its effect is on a disk, or wherever it is to survive, when it returns. After
/// `ArchiveError.Reason.away(_:)` it may have taken effect.
public protocol Archive: Sendable {
  /// The archive in messages: where it is, without any secret.
  var name: String { get }

  /// How long a call may take; nil if it has no limit.
  ///
  /// A lease must be longer. Opening notes in its report if it is not.
  var callLimit: Duration? { get }

  /// How far the archive is and who leads; nil while it has no store.
  func head() async throws(ArchiveError) -> ArchiveHead?

  /// Checks that this process could lead, also an archive that has no store yet; changes nothing.
  ///
  /// Throws `.noAccess` if it lacks a right to make or write what the archive consists of, and `.unusable`.
  func checkMayStart() async throws(ArchiveError)

  /// Starts to lead, and returns the head under the new epoch.
  ///
  /// An archive that has no store yet starts with that of the candidate. The new epoch is above that of the archive and of
  /// the candidate. An append in progress ends before this returns, and the head includes it.
  ///
  /// Throws `.led` while the lease of another leader runs, and `.otherStore`.
  func lead(_ candidate: ArchiveCandidate) async throws(ArchiveError) -> ArchiveHead

  /// Extends the lease.
  ///
  /// Throws `.refused` if another leads.
  func renew(_ term: ArchiveTerm) async throws(ArchiveError)

  /// Ends the lease, so that another may lead at once.
  ///
  /// It changes nothing if another leads.
  func release(_ term: ArchiveTerm) async throws(ArchiveError)

  /// Appends a segment after the head, moves the head to its end and extends the lease.
  ///
  /// A `catalog` is the new one; nil keeps the one that is there.
  ///
  /// Throws `.refused` if another leads, or if the segment does not start at the head; the archive does not have it then.
  func append(
    _ segment: ArchiveSegment,
    catalog: [UInt8]?,
    in term: ArchiveTerm
  ) async throws(ArchiveError)

  /// The segments that have a delta after a revision, in order, up to the head.
  ///
  /// At least one if there is one, up to about the number of bytes asked for.
  func segments(after revision: Revision, bytes: Int) async throws(ArchiveError) -> [ArchiveSegment]

  /// The revisions after the first segment that no segment has, as runs that end at a snapshot; in order.
  ///
  /// A leader left them out: the file no longer had their deltas when the archive could be reached. The bodies of
  /// segments are not read.
  func gaps() async throws(ArchiveError) -> [ClosedRange<Revision>]

  /// An image of the store without its history: everything that is in no delta.
  func catalog() async throws(ArchiveError) -> [UInt8]

  /// The snapshots, the oldest first.
  func snapshots() async throws(ArchiveError) -> [ArchiveSnapshot]

  /// The list of a snapshot: an image of the store with the snapshot, and its chunks.
  ///
  /// Throws `.notFound`.
  func list(of snapshot: Revision) async throws(ArchiveError) -> ArchiveSnapshot.List

  /// The chunks among these that the archive does not have.
  func missing(_ chunks: [ArchiveChunk.ID]) async throws(ArchiveError) -> [ArchiveChunk.ID]

  /// Adds chunks; chunks that it has already stay.
  func add(_ chunks: [ArchiveChunk], in term: ArchiveTerm) async throws(ArchiveError)

  /// The chunks, in any order.
  ///
  /// Throws `.notFound`.
  func chunks(_ ids: [ArchiveChunk.ID]) async throws(ArchiveError) -> [ArchiveChunk]

  /// Adds a snapshot whose chunks are there, or replaces the one of its revision.
  ///
  /// A snapshot beyond the head becomes the head: the segments between are missing, and stay missing.
  ///
  /// Throws `.refused` if another leads, and `.notFound` if a chunk is missing.
  func add(
    _ snapshot: ArchiveSnapshot,
    _ list: ArchiveSnapshot.List,
    catalog: [UInt8]?,
    in term: ArchiveTerm
  ) async throws(ArchiveError)

  /// Starts again with a snapshot whose chunks are there and the segments after it, and removes all else: segments,
  /// snapshots, and the chunks that the snapshot does not list.
  ///
  /// For a history that was rewritten: entities were erased from it. The head is then the end of the segments. A reader
  /// finds one history or the other. What a failure leaves of the former one is removed by the next restart or leader.
  ///
  /// Throws `.refused` if another leads or a segment is of another epoch, `.unusable` if the segments do not continue the
  /// snapshot, and `.notFound` if a chunk is missing.
  func restart(
    from snapshot: ArchiveSnapshot,
    _ list: ArchiveSnapshot.List,
    _ segments: [ArchiveSegment],
    catalog: [UInt8],
    in term: ArchiveTerm
  ) async throws(ArchiveError)

  /// Removes the segments that end at or before a revision, these snapshots, and chunks that no snapshot lists.
  ///
  /// Snapshots that are added meanwhile keep their chunks.
  func remove(
    segmentsThrough revision: Revision,
    snapshots: [Revision]
  ) async throws(ArchiveError)

  /// How many bytes it has for the store: its segments, snapshots, chunks and catalog.
  func bytes() async throws(ArchiveError) -> Int64

  /// Removes the store with all that it has; it is empty then.
  ///
  /// After an error some of it may be removed, and the same call goes on.
  ///
  /// Throws `.refused` if another leads.
  func removeStore(in term: ArchiveTerm) async throws(ArchiveError)

  /// Elements that arrive soon after an append, as hints to look for it at once; nil if the archive has no
  /// hints.
  ///
  /// A hint may be missing or come without reason, so a follower also polls. When the stream ends, a follower
  /// asks for another one.
  func hints() -> AsyncStream<Void>?
}

extension Archive {
  /// No limit is known.
  public var callLimit: Duration? { nil }

  /// Nothing is known before it leads.
  public func checkMayStart() async throws(ArchiveError) {}

  /// No hints: a follower polls.
  public func hints() -> AsyncStream<Void>? { nil }
}

extension Archive {
  /// Removes the store with all that it has, and returns the head that it had.
  ///
  /// It leads for that, so that no former leader adds to it, and no process can lead meanwhile. A call that was
  /// interrupted can be repeated at once, as the leader has the same name.
  ///
  /// Throws `.empty`, and `.led` while the lease of a leader runs.
  package func removeStore() async throws(ArchiveError) -> ArchiveHead {
    guard let head = try await head() else { throw ArchiveError(.empty, archive: name) }
    let lease = Duration.seconds(60)
    let led = try await lead(
      ArchiveCandidate(
        store: head.store,
        epoch: head.epoch,
        leader: "strata archive remove",
        lease: lease,
        start: head.mark
      )
    )
    try await removeStore(in: ArchiveTerm(epoch: led.epoch, lease: lease, leader: led.leader))
    return head
  }
}
