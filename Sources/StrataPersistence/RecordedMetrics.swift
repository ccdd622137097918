#if SwiftMetrics
  package import CoreMetrics
  import Foundation
  import StrataBase

  /// Meters and counters by their labels; each appears with its first value.
  package struct RecordedMetrics: Sendable {
    package typealias Value = (label: String, value: Int64?)

    private struct Recorded {
      var meters: [String: Meter] = [:]
      var counters: [String: Counter] = [:]
      /// The totals when they were recorded last.
      var totals: [String: Int64] = [:]
    }

    private let factory: any MetricsFactory
    private let dimensions: [(String, String)]
    private let recorded = Lock(Recorded())

    package init(_ dimensions: [(String, String)]) {
      factory = MetricsSystem.factory
      self.dimensions = dimensions
    }

    package func counter(_ label: String) -> Counter {
      Counter(label: label, dimensions: dimensions, factory: factory)
    }

    /// Calls `body` now and after each interval, until the events end or the task is cancelled, and once more then.
    package static func record<Event: Sendable>(
      every interval: Duration,
      _ clock: any Clock<Duration>,
      until events: AsyncStream<Event>,
      counting count: @escaping @Sendable (Event) -> Void = { _ in },
      _ body: @escaping @Sendable () -> Void
    ) async {
      await withTaskGroup { group in
        group.addTask { for await event in events { count(event) } }
        group.addTask {
          while !Task.isCancelled {
            body()
            do { try await clock.sleep(for: interval) } catch { return }
          }
        }
        await group.next()
        group.cancelAll()
      }
      body()
    }

    /// - Parameter totals: Counts since some start; their counters count from the first call on.
    package func record(_ values: [Value], totals: [Value]) {
      recorded.withLock { recorded in
        for (label, total) in totals {
          guard let total else { continue }
          let counter = recorded.counters[label] ?? counter(label)
          recorded.counters[label] = counter
          if let last = recorded.totals[label], last < total { counter.increment(by: total - last) }
          recorded.totals[label] = total
        }
        for (label, value) in values {
          guard let value else { continue }
          let meter =
            recorded.meters[label] ?? Meter(label: label, dimensions: dimensions, factory: factory)
          recorded.meters[label] = meter
          meter.set(value)
        }
      }
    }
  }
#endif
