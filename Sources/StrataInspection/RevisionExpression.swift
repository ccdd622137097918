package import Foundation
import StrataBase
package import StrataJournal
import StrataRecords

/// A point in history as people write it.
///
/// | text | meaning |
/// | --- | --- |
/// | `42` | revision 42; 0 is the state before the first delta |
/// | `HEAD`, `HEAD~3` | the last revision, three deltas before it |
/// | `@2026-11-01T12:00` | the last revision in or before this minute, in UTC; with seconds, in or before this second, and so on |
/// | `@2026-11-01` | the same for a day |
/// | `@now`, `@yesterday`, `@-5m` | now, a day ago, five minutes ago: `s`, `m`, `h`, `d`, `w` |
/// | `snap:before-upgrade` | the snapshot of this name |
package enum RevisionExpression: Equatable, Sendable {
  case head(back: Int)
  case point(HistoryPoint)

  /// Which end of the day, minute, second or part of a second that a text names is meant.
  package enum Edge: Sendable {
    /// Just before it: what comes after this point has all of it.
    case start
    /// With all of it.
    case end
  }

  /// A text that is none of the forms.
  package struct Unreadable: Error, Equatable, Sendable, CustomStringConvertible {
    package let text: String

    package var description: String {
      """
      “\(text)” is no revision. Write a number, HEAD~3, @2026-11-01T12:00 (UTC), @yesterday, @-5m, or \
      snap:NAME.
      """
    }
  }

  /// Reads a text.
  ///
  /// - Parameters:
  ///   - now: What relative times count from.
  ///   - edge: Which end of an absolute time counts: a log prints times with milliseconds, and what it prints is found.
  package init(_ text: String, now: Date, edge: Edge = .end) throws(Unreadable) {
    if let number = Int64(text), number >= 0 {
      self = .point(.revision(Revision(number)))
    } else if text == "HEAD" {
      self = .head(back: 0)
    } else if text.hasPrefix("HEAD~"), let back = UInt32(text.dropFirst(5)) {
      self = .head(back: Int(back))
    } else if text.hasPrefix("snap:"), text.count > 5 {
      self = .point(.snapshot(String(text.dropFirst(5))))
    } else if text.hasPrefix("@"), let time = Self.time(text.dropFirst(), now, edge) {
      self = .point(.time(time))
    } else {
      throw Unreadable(text: text)
    }
  }

  private static func time(_ text: Substring, _ now: Date, _ edge: Edge) -> Date? {
    switch text {
    case "now": return now
    case "yesterday": return now.addingTimeInterval(-86_400)
    default: break
    }
    guard text.hasPrefix("-"), let unit = text.last else {
      if text.hasPrefix("@") { return nil }
      return Date(timeText: String(text)).map { time in
        let distance = edge == .start ? -1 : extent(of: text) - 1
        let (moved, overflows) = time.nearestMicrosecond.addingReportingOverflow(distance)
        return overflows ? time : Date(microseconds: moved)
      }
    }
    let seconds: [Character: Double] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]
    guard let factor = seconds[unit], let count = UInt32(text.dropFirst().dropLast()) else {
      return nil
    }
    return now.addingTimeInterval(-Double(count) * factor)
  }

  /// The microseconds of the day, minute, second or part of a second that a text of a time names.
  private static func extent(of text: Substring) -> Int64 {
    guard let start = text.firstIndex(where: { $0 == "T" || $0 == " " }) else {
      return 86_400_000_000
    }
    let time = text[start...].dropFirst().prefix { $0.isNumber || $0 == ":" || $0 == "." }
    if let point = time.firstIndex(of: ".") {
      let digits = time[point...].dropFirst().count
      return (0..<max(0, 6 - digits)).reduce(1) { length, _ in length * 10 }
    }
    return time.count(where: { $0 == ":" }) > 1 ? 1_000_000 : 60_000_000
  }
}

/// Two points in history as people write them.
///
/// | text | meaning |
/// | --- | --- |
/// | `A..B` | from `A` to `B`, each as a ``RevisionExpression`` |
/// | `A..`, `A` | from `A` to `HEAD` |
package struct RevisionSpan: Equatable, Sendable {
  package let start: RevisionExpression
  package let end: RevisionExpression

  package init(from start: RevisionExpression, to end: RevisionExpression) {
    self.start = start
    self.end = end
  }

  /// Reads a text.
  ///
  /// The name of a snapshot may contain two dots: the text is cut where both parts can be read.
  package init(_ text: String, now: Date) throws(RevisionExpression.Unreadable) {
    for range in text.ranges(of: "..") {
      let (first, last) = (text[..<range.lowerBound], text[range.upperBound...])
      if let start = Self.expression(first, now),
        let end = last.isEmpty ? .head(back: 0) : Self.expression(last, now)
      {
        self.init(from: start, to: end)
        return
      }
    }
    self.init(from: try RevisionExpression(text, now: now), to: .head(back: 0))
  }

  private static func expression(_ text: Substring, _ now: Date) -> RevisionExpression? {
    do throws(RevisionExpression.Unreadable) {
      return try RevisionExpression(String(text), now: now)
    } catch _ {
      return nil
    }
  }
}

extension ReadView {
  /// The revision of a point that people wrote.
  ///
  /// O(deltas before the head) for `HEAD~`, else as for a ``HistoryPoint``.
  ///
  /// - Parameter head: What `HEAD` is; nil for the last revision.
  package func revision(
    of expression: RevisionExpression,
    head: Revision? = nil
  ) throws -> Revision {
    switch expression {
    case .point(let point): return try revision(of: point)
    case .head(let back):
      let headers = try journal.headers(
        before: (head ?? last.revision).next,
        limit: back + 1
      )
      if headers.count > back { return headers[back].header.revision }
      if headers.count == back {
        return headers.last?.header.first.previous ?? head ?? last.revision
      }
      throw PersistenceError.Reason.notFound(
        "revision HEAD~\(back): the journal has \(Measures.count(headers.count, "delta", "deltas"))"
      )
    }
  }
}
