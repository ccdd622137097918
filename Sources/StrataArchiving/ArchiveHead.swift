public import Foundation
package import StrataBase
public import StrataJournal

/// A revision and the chain there: two histories that have a mark in common are the same up to it.
public struct HistoryMark: Hashable, Sendable, Codable, CustomStringConvertible {
  /// The revision.
  public let revision: Revision
  /// The hash of the delta of this revision, which covers all before it: 32 hexadecimal digits.
  public let chain: String

  /// Creates a mark.
  public init(revision: Revision, chain: String) {
    self.revision = revision
    self.chain = chain
  }

  package init(_ revision: Revision, _ chain: Checksum) {
    self.init(revision: revision, chain: chain.description)
  }

  /// The chain; nil if it is not 32 hexadecimal digits.
  package var checksum: Checksum? {
    guard chain.utf8.count == 32 else { return nil }
    let digits = Array(chain.utf8)
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: digits.count, by: 2) {
      let pair = String(decoding: digits[start..<start + 2], as: UTF8.self)
      guard let byte = UInt8(pair, radix: 16) else { return nil }
      bytes.append(byte)
    }
    return Checksum(bytes: bytes)
  }

  /// Whether it can be a place of a history: a revision from 0, and a chain of 32 digits.
  package var isWellFormed: Bool {
    revision >= 0 && chain.utf8.count == 32
      && chain.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
  }

  package init(_ position: Position) { self.init(position.revision, position.chain) }

  /// `revision 12 (chain 04ab…)`.
  public var description: String { "revision \(revision) (chain \(chain))" }
}

/// How far an archive is, and who leads.
public struct ArchiveHead: Sendable, Equatable {
  /// The store.
  public var store: UUID
  /// The epoch of the last leader; each one raises it.
  public var epoch: Int64
  /// The leader's own name for itself, for messages.
  public var leader: String
  /// How long its lease still runs, by the clock of the archive; zero once another may lead.
  public var lease: Duration
  /// When its lease ends or has ended, by the clock of the archive: the leader gave its last sign at most a lease earlier.
  ///
  /// Nil if the archive does not know.
  public var leaseEnd: Date?
  /// The end of the last segment, or the snapshot beyond it.
  public var mark: HistoryMark

  /// Creates a head.
  public init(
    store: UUID,
    epoch: Int64,
    leader: String,
    lease: Duration,
    leaseEnd: Date? = nil,
    mark: HistoryMark
  ) {
    self.store = store
    self.epoch = epoch
    self.leader = leader
    self.lease = lease
    self.leaseEnd = leaseEnd
    self.mark = mark
  }
}

extension ArchiveHead {
  /// How far the clock of the archive was ahead of a clock that showed a time when this head was read.
  ///
  /// Nil while no lease runs. The time that the call took counts as a difference.
  package func clockDifference(at time: Date) -> Duration? {
    guard lease > .zero, let leaseEnd else { return nil }
    return .seconds(leaseEnd.timeIntervalSince(time)) - lease
  }
}

/// A process that wants to lead.
public struct ArchiveCandidate: Sendable {
  /// The store.
  public var store: UUID
  /// The epoch of its file; the new one is above it.
  public var epoch: Int64
  /// Its name.
  ///
  /// A lease under the same name need not end first: it belongs to an earlier process at the same file.
  public var leader: String
  /// How long its lease is to run after each renewal.
  public var lease: Duration
  /// Where an archive without a store starts.
  public var start: HistoryMark

  /// Creates a candidate.
  public init(
    store: UUID,
    epoch: Int64,
    leader: String,
    lease: Duration,
    start: HistoryMark
  ) {
    self.store = store
    self.epoch = epoch
    self.leader = leader
    self.lease = lease
    self.start = start
  }
}

extension ArchiveCandidate {
  /// Why it cannot lead an archive; nil if it can.
  package var flaw: String? {
    (0..<Int64.max).contains(epoch) && start.isWellFormed && !leader.isEmpty
      ? nil : "nothing can lead as \"\(leader)\" after epoch \(epoch) from \(start)"
  }

  /// Whether this leadership wrote `head` directly after `before`, so that no other process led in between.
  ///
  /// - Parameter before: Nil for an archive without a store.
  func leads(to head: ArchiveHead, from before: ArchiveHead?) -> Bool {
    head.mark == before?.mark ?? start && head.epoch == max(before?.epoch ?? 0, epoch) + 1
  }
}

extension Duration {
  /// The length of a lease: from 0 to 100 years.
  package var leaseMicroseconds: Int64 {
    let century: Int64 = 100 * 365 * 86_400
    let (seconds, attoseconds) = max(.zero, min(self, .seconds(century))).components
    return seconds * 1_000_000 + attoseconds / 1_000_000_000_000
  }
}

/// One leadership: everything that a leader writes is checked against it.
public struct ArchiveTerm: Sendable, Equatable {
  /// The epoch that it started.
  public let epoch: Int64
  /// How long the lease runs after each renewal.
  public let lease: Duration
  /// The name under which it was started; nil for any leader of the epoch.
  ///
  /// An archive that went back, or a server that was promoted, may give an epoch twice.
  public let leader: String?

  /// Creates a term.
  public init(epoch: Int64, lease: Duration, leader: String? = nil) {
    self.epoch = epoch
    self.lease = lease
    self.leader = leader
  }

  /// Whether a leadership of the archive is this one.
  package func isTerm(ofEpoch epoch: Int64, _ leader: String) -> Bool {
    epoch == self.epoch && (self.leader.map { $0 == leader } ?? true)
  }
}
