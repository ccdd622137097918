package import Foundation
import StrataRecords

/// A point in history as people write it.
///
/// | text | meaning |
/// | --- | --- |
/// | `42` | revision 42; 0 is the state before the first delta |
/// | `HEAD`, `HEAD~3` | the last revision, three deltas before it |
/// | `@2026-11-01T12:00` | the last revision at or before this time, in UTC |
/// | `@2026-11-01` | the same for the start of a day |
/// | `@now`, `@yesterday`, `@-5m` | now, a day ago, five minutes ago: `s`, `m`, `h`, `d`, `w` |
/// | `snap:before-upgrade` | the snapshot of this name |
package enum RevisionExpression: Equatable, Sendable {
  case head(back: Int)
  case point(HistoryPoint)

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
  /// - Parameter now: what relative times count from.
  package init(_ text: String, now: Date) throws(Unreadable) {
    if let number = Int64(text), number >= 0 {
      self = .point(.revision(Revision(number)))
    } else if text == "HEAD" {
      self = .head(back: 0)
    } else if text.hasPrefix("HEAD~"), let back = UInt32(text.dropFirst(5)) {
      self = .head(back: Int(back))
    } else if text.hasPrefix("snap:"), text.count > 5 {
      self = .point(.snapshot(String(text.dropFirst(5))))
    } else if text.hasPrefix("@"), let time = Self.time(text.dropFirst(), now) {
      self = .point(.time(time))
    } else {
      throw Unreadable(text: text)
    }
  }

  private static func time(_ text: Substring, _ now: Date) -> Date? {
    switch text {
    case "now": return now
    case "yesterday": return now.addingTimeInterval(-86_400)
    default: break
    }
    guard text.hasPrefix("-"), let unit = text.last else {
      return text.hasPrefix("@") ? nil : Date(timeText: String(text))
    }
    let seconds: [Character: Double] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400, "w": 604_800]
    guard let factor = seconds[unit], let count = UInt32(text.dropFirst().dropLast()) else {
      return nil
    }
    return now.addingTimeInterval(-Double(count) * factor)
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
  package func revision(of expression: RevisionExpression) throws -> Revision {
    switch expression {
    case .point(let point): return try revision(of: point)
    case .head(let back):
      let headers = try journal.headers(before: last.revision.next, limit: back + 1)
      if headers.count > back { return headers[back].header.revision }
      if headers.count == back { return headers.last?.header.first.previous ?? last.revision }
      throw PersistenceError.Reason.notFound(
        "revision HEAD~\(back): the journal has \(Measures.count(headers.count, "delta", "deltas"))"
      )
    }
  }
}
