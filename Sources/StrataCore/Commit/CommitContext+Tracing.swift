#if Tracing
  import Tracing

  extension CommitContext {
    /// The span that is current in this task, for the commits that belong to it; empty without one.
    ///
    /// ```swift
    /// try await withSpan("place order") { _ in
    ///   try await CommitContext.with(.currentSpan) { try await place(cart) }
    /// }
    /// ```
    ///
    /// The trace is ``traceID``, the span is the field `span`. They are what the tracer gives an outgoing
    /// request: the header `traceparent` of W3C, or values whose keys end in `trace-id` and `span-id`, in any
    /// spelling. Nothing else of the span is read, and no baggage.
    ///
    /// It is read once: a span that is opened inside `with` is not that of the commits in it. As expensive as one
    /// outgoing request is for the tracer. It exists with the package trait `Tracing`, which is off by
    /// default.
    public static var currentSpan: CommitContext {
      guard let span = ServiceContext.current else { return CommitContext() }
      var carrier = SpanCarrier()
      InstrumentationSystem.instrument.inject(span, into: &carrier, using: SpanInjector())
      return CommitContext(
        traceID: carrier.traceID,
        fields: carrier.spanID.map { ["span": $0] } ?? [:]
      )
    }
  }

  /// What a tracer gives an outgoing request, as far as it names the span.
  private struct SpanCarrier: Sendable {
    var traceID: String?
    var spanID: String?

    mutating func take(_ value: String, for key: String) {
      let key = String(key.lowercased().filter { $0 != "-" && $0 != "_" })
      // W3C: version, trace, span and flags.
      if key == "traceparent", case let parts = value.split(separator: "-"), parts.count >= 4 {
        (traceID, spanID) = (String(parts[1]), String(parts[2]))
      } else if key.hasSuffix("traceid"), traceID == nil {
        traceID = value
      } else if key.hasSuffix("spanid"), !key.hasSuffix("parentspanid"), spanID == nil {
        spanID = value
      }
    }
  }

  private struct SpanInjector: Injector {
    func inject(_ value: String, forKey key: String, into carrier: inout SpanCarrier) {
      carrier.take(value, for: key)
    }
  }
#endif
