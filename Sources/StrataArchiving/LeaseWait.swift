import StrataJournal

/// Tells a working leader from one that has died: a working leader renews its lease.
///
/// It also ends the wait for a lease that runs for longer than a lease is. That happens when the clock that leases run
/// by goes back: the lease of a leader that has died then runs for as much longer. Such a lease also seems to be
/// renewed when the clock goes back, hence a lease that is too long is renewed only if it becomes longer twice.
///
/// A pure value without a clock.
package struct LeaseWait: Sendable {
  /// What a look shows.
  package enum Finding: Sendable {
    /// The lease runs, and may end.
    case runs
    /// The lease was renewed, or taken, since an earlier look.
    case isRenewed
    /// It has given no sign for as long as a lease is, and runs for even longer.
    case isTooLong
  }

  /// How long a lease is, as far as this process knows.
  private let lease: Duration
  private var start: ContinuousClock.Instant?
  private var seen: (epoch: Int64, lease: Duration)?
  /// How often a lease that is too long has become longer.
  private var longExtensions = 0

  package init(lease: Duration) { self.lease = lease }

  /// What a head shows at a time.
  package mutating func look(at head: ArchiveHead, _ time: ContinuousClock.Instant) -> Finding {
    let start = start ?? time
    self.start = start
    defer { seen = (head.epoch, head.lease) }
    if let seen {
      if head.epoch != seen.epoch { return .isRenewed }
      if head.lease > seen.lease {
        if head.lease <= lease || longExtensions > 0 { return .isRenewed }
        longExtensions += 1
      }
    }
    return head.lease > lease && time - start >= lease ? .isTooLong : .runs
  }

  /// What is wrong with a lease that is too long.
  package func reason(_ leader: String, _ rest: Duration) -> ArchiveError.Reason {
    .leaseTooLong(by: leader, for: rest, lease: lease)
  }
}
