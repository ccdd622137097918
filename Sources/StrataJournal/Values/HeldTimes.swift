public import Foundation

/// The times of the last commits of a store, where they are ahead of the clock.
///
/// The time of a commit is that of the clock, and never before that of the commit before it. So after the clock has stepped
/// back, by hand or because it was wrong before, times go on from the last one until the clock is there. They then say in
/// which order commits were made, and how long one came after another, but not when. A question by time, such as
/// `HistoryPoint.time`, finds none of these commits before their times have come.
///
/// ```swift
/// if let held = persistence.status.heldTimes { warn("\(held)") }
/// ```
public struct HeldTimes: Sendable, Equatable, Codable {
  /// The time of the last commit.
  public var time: Date
  /// The first revision with a time that is ahead of the clock.
  public var since: Revision

  package init(time: Date, since: Revision) {
    self.time = time
    self.since = since
  }

  /// How far times may be ahead of the clock before they are held.
  ///
  /// A smaller step back is waited out: it is one of a clock that is set right all the time.
  package static let tolerance = Duration.seconds(60)

  /// Whether a time, in microseconds since 1970, is ahead of the clock's.
  package static func isAhead(_ time: Int64, of now: Int64) -> Bool {
    let (ahead, overflows) = time.subtractingReportingOverflow(now)
    return overflows ? time > now : ahead > tolerance.microseconds
  }
}

extension HeldTimes: CustomStringConvertible {
  /// `times are held at 2099-01-01 00:00:00.000Z since revision 12`.
  public var description: String {
    "times are held at \(Measures.time(time)) since revision \(since)"
  }

  /// What to do, in sentences.
  package static let remedy = """
    The clock was ahead, or is behind now. Set it right; nothing is lost, and ages count on. Ask by revision: a question by \
    time finds these commits only once the clock is there.
    """
}
