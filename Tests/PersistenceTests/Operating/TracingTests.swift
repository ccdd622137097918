#if Tracing
  import Foundation
  import InMemoryTracing
  import Strata
  import StrataCore
  import StrataPersistence
  import StrataInspection
  import TestSupport
  import Testing
  import Tracing

  /// The span of swift-distributed-tracing in the context of commits.
  struct TracingTests {
    /// Gives requests these headers, as the tracers of other systems do.
    private struct HeaderTracer: Tracer {
      let headers: [(String, String)]
      private let tracer = InMemoryTracer()

      func startSpan<Instant: TracerInstant>(
        _ operationName: String,
        context: @autoclosure () -> ServiceContext,
        ofKind kind: SpanKind,
        at instant: @autoclosure () -> Instant,
        function: String,
        file fileID: String,
        line: UInt
      ) -> InMemorySpan {
        tracer.startSpan(
          operationName,
          context: context(),
          ofKind: kind,
          at: instant(),
          function: function,
          file: fileID,
          line: line
        )
      }

      func forceFlush() {}

      func extract<Carrier, Extract: Extractor>(
        _ carrier: Carrier,
        into context: inout ServiceContext,
        using extractor: Extract
      ) where Extract.Carrier == Carrier {}

      func inject<Carrier, Inject: Injector>(
        _ context: ServiceContext,
        into carrier: inout Carrier,
        using injector: Inject
      ) where Inject.Carrier == Carrier {
        for (key, value) in headers { injector.inject(value, forKey: key, into: &carrier) }
      }

      init(_ headers: [(String, String)]) { self.headers = headers }
    }

    @Test func `commits in a span carry its trace and its span into the file and the log`()
      async throws
    {
      let file = try TestStore()
      let tracer = InMemoryTracer()
      try await file.run([]) { store, _ in
        await withTracer(tracer) {
          await withSpan("place order") { _ in
            await CommitContext.with(.currentSpan) {
              await Task.yield()
              store.commit("add", context: CommitContext(user: "ann")) {
                $0.db.books.insert(Book(id: 1))
              }
            }
            store.commit("direct", context: .currentSpan) { $0.db.books.insert(Book(id: 2)) }
            store.commit("outside") { $0.db.books.insert(Book(id: 3)) }
          }
        }
      }
      let span = try #require(tracer.finishedSpans.first)
      let contexts = try Inspector(path: file.path).log(.last(3)).deltas
        .sorted { $0.revision < $1.revision }.map { $0.contexts?.first }
      #expect(contexts.map { $0?.trace } == [span.traceID, span.traceID, nil])
      #expect(contexts.map { $0?.user } == ["ann", nil, nil])
      #expect(contexts.map { $0?.fields?["span"] } == [span.spanID, span.spanID, nil])
    }

    @Test func `a span inside another one is the current one, until it ends`() throws {
      let store = LibraryStore()
      let tracer = InMemoryTracer()
      func contextOfCommit() -> CommitContext? {
        store.commit(context: .currentSpan) { $0.count += 1 }
        return store.changes.context
      }
      let contexts = withTracer(tracer) {
        withSpan("outer") { _ in
          [contextOfCommit(), withSpan("inner") { _ in contextOfCommit() }, contextOfCommit()]
        }
      }
      let (inner, outer) = (tracer.finishedSpans[0], tracer.finishedSpans[1])
      #expect((inner.operationName, outer.operationName) == ("inner", "outer"))
      #expect(contexts.map { $0?.traceID } == Array(repeating: outer.traceID, count: 3))
      #expect(contexts.map { $0?.fields["span"] } == [outer.spanID, inner.spanID, outer.spanID])
    }

    @Test func `without a span or a tracer there is nothing to carry`() {
      #expect(CommitContext.currentSpan.isEmpty)
      withTracer(InMemoryTracer()) { #expect(CommitContext.currentSpan.isEmpty) }
      // The tracer that does nothing gives spans without IDs.
      withSpan("none") { _ in #expect(CommitContext.currentSpan.isEmpty) }
    }

    private static let headers: [([(String, String)], trace: String?, span: String?)] = [
      (
        [("traceparent", "00-4bf92f3577b34da6-00f067aa0ba902b7-01"), ("tracestate", "a=b")],
        "4bf92f3577b34da6", "00f067aa0ba902b7"
      ),
      (
        [("X-B3-TraceId", "80f1"), ("X-B3-ParentSpanId", "05e3"), ("X-B3-SpanId", "e457")],
        "80f1", "e457"
      ),
      ([("x-datadog-trace-id", "7"), ("baggage", "user=ann")], "7", nil),
      ([("traceparent", "00-1-2"), ("baggage", "user=ann")], nil, nil),
    ]

    @Test(arguments: headers.indices)
    func `the IDs are those of the headers that the tracer gives a request`(number: Int) {
      let (headers, trace, span) = Self.headers[number]
      let context = withTracer(HeaderTracer(headers)) {
        withSpan("request") { _ in CommitContext.currentSpan }
      }
      #expect(context == CommitContext(traceID: trace, fields: span.map { ["span": $0] } ?? [:]))
    }
  }
#endif
