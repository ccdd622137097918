package import Foundation
import StrataArchiving
package import StrataJournal

/// How a follower is: what it learns goes in, its status, its events and the next look come out.
///
/// A pure value without a clock.
///
/// | from | `caughtUp` | `found` | `applied` | `unreachable` | `noAccess` | `unusable` | `older` | `rewound` |
/// | --- | --- | --- | --- | --- | --- | --- | --- | --- |
/// | `behind` | `current` | `behind` | `behind` | `away`, told | `refused`, told | `failed`, told | `waiting` | `behind`, told |
/// | `current` | `current` | `behind` | `behind` | `away`, told | `refused`, told | `failed`, told | `waiting` | `behind`, told |
/// | `away` | `current`, told | `behind`, told | `behind`, told | `away` | `refused`, told | `failed`, told | `waiting`, told | `behind`, told |
/// | `refused` | `current`, told | `behind`, told | `behind`, told | `away`, told | `refused` | `failed`, told | `waiting`, told | `behind`, told |
/// | `failed` | `current`, told | `failed` | `behind`, told | `away`, told | `refused`, told | `failed` | `waiting`, told | `behind`, told |
/// | `waiting` | `current` | `behind` | `behind` | `away`, told | `refused`, told | `failed`, told | `waiting` | `behind`, told |
///
/// A failure is told again when its text is another one.
/// `lead` leads from each of them, and `close` ends each, also `leading`; nothing else changes these two.
package struct FollowerMachine: Sendable {
  /// What a follower learns.
  package enum Input: Sendable {
    /// What is followed has confirmed that there is nothing more.
    case caughtUp
    /// There are deltas that the store does not have.
    case found
    /// The store has everything up to this revision.
    case applied(Revision)
    /// What is followed cannot be reached.
    case unreachable(String)
    /// What is followed gives no access.
    case noAccess(String)
    /// What is followed cannot become the state of this store.
    case unusable(String)
    /// What is followed has the shape from before this migration, which the leader has not run.
    case older(String)
    /// The history was taken back, and the store has it as it is now.
    case rewound(from: Revision, to: Revision)
    case lead
    case close
  }

  package private(set) var status: FollowerStatus
  /// When what is followed has last answered.
  package private(set) var lastContact: Date?
  /// Since when it may lack something: when it was last known to have everything; nil while it is current or leads.
  package private(set) var behindSince: Date?
  /// How often what is followed could not be reached.
  package private(set) var failedCalls = 0
  /// How often the history was taken back.
  package private(set) var rewinds = 0
  /// How often it has failed since it last got on.
  private var failures = 0

  /// - Parameter away: why the store was restored from its own file alone.
  package init(at time: Date, away: String? = nil) {
    status = away.map { .away($0, since: time) } ?? .behind
    lastContact = away == nil ? time : nil
    behindSince = time
  }

  /// How long to wait before the next look.
  package func pause(_ interval: Duration) -> Duration {
    min(interval * max(failures, 1), .seconds(5))
  }

  /// Takes an observation, and returns the events to report.
  package mutating func take(_ input: Input, at time: Date) -> [FollowerEvent] {
    let confirmed = status == .current ? lastContact : nil
    defer {
      let isCurrent = status == .current || status == .leading
      behindSince = isCurrent ? nil : confirmed ?? behindSince
    }
    switch (status, input) {
    case (.closed, _): return []
    case (_, .close):
      status = .closed
      return []
    case (.leading, _): return []
    case (_, .lead):
      status = .leading
      return [.leading]
    case (_, .unreachable(let detail)):
      failures += 1
      failedCalls += 1
      if case .away = status { return [] }
      status = .away(detail, since: time)
      return [.away(detail)]
    case (_, .noAccess(let detail)):
      failures += 1
      failedCalls += 1
      if case .refused(detail, _) = status { return [] }
      status = .refused(detail, since: time)
      return [.refused(detail)]
    case (_, .unusable(let detail)):
      failures += 1
      if status == .failed(detail) { return [] }
      status = .failed(detail)
      return [.failed(detail)]
    case (.failed, .found):
      // The same deltas as before: they have failed, and may do so again.
      lastContact = time
      return []
    case (_, .caughtUp): return answered(.current, at: time)
    case (_, .found): return answered(.behind, at: time)
    case (_, .older(let name)): return answered(.waitingForMigration(name), at: time)
    case (_, .applied(let revision)):
      return answered(.behind, at: time) + [.applied(through: revision)]
    case (_, .rewound(let before, let after)):
      rewinds += 1
      return answered(.behind, at: time) + [.rewound(from: before, to: after)]
    }
  }

  private mutating func answered(_ new: FollowerStatus, at time: Date) -> [FollowerEvent] {
    defer { status = new }
    lastContact = time
    failures = 0
    switch status {
    case .away, .refused, .failed: return [.back]
    case .current, .behind, .waitingForMigration, .leading, .closed: return []
    }
  }
}

extension FollowerMachine.Input {
  /// What an error of reading says: whether it may end by itself.
  init(reading error: any Error, at path: String) {
    let known = PersistenceError(.inspecting, path: path, wrapping: error)
    if case .noAccess? = known.archive?.reason {
      self = .noAccess("\(error)")
      return
    }
    let mayEnd = [.retry, .checkDisk].contains(known.remedy) || known.reason == .missing
    self = mayEnd ? .unreachable("\(error)") : .unusable("\(error)")
  }
}
