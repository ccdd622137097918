import StrataBase
import StrataCore

/// What sinks and hooks were told, in the order in which they were told.
package final class Recorder<Element: Sendable>: Sendable {
  private let recorded = Lock<[Element]>([])

  package init() {}

  package var elements: [Element] { recorded.withLock { $0 } }

  package func record(_ element: Element) { recorded.withLock { $0.append(element) } }
}

extension [UInt8] {
  /// The bytes as text: what a process wrote before it ended.
  package var text: String { String(decoding: self, as: UTF8.self) }
}
