import StrataBase
import StrataCore

/// Records values from any thread, in order; for sinks and hooks.
package final class Recorder<Element: Sendable>: Sendable {
  private let recorded = Lock<[Element]>([])

  package init() {}

  package var elements: [Element] { recorded.withLock { $0 } }

  package func record(_ element: Element) { recorded.withLock { $0.append(element) } }
}
