import Strata

// The section "In a server" of the page "Operating a store". Built with the traits.

#if SwiftMetrics
  private func recording(persistence: Persistence<AppState, Database>) async {
    async let metrics: Void = persistence.recordMetrics(dimensions: [("store", "app")])
    await metrics
  }
#endif

#if Tracing
  import Tracing

  private func placeOrder(_ cart: Cart) async throws {}

  private func tracing(cart: Cart) async throws {
    try await withSpan("place order") { _ in
      try await CommitContext.with(.currentSpan) { try await placeOrder(cart) }
    }
  }
#endif

#if ServiceLifecycle
  import ServiceLifecycle
  import UnixSignals

  private func running(
    persistence: Persistence<AppState, Database>,
    server: any Service
  ) async throws {
    let group = ServiceGroup(services: [persistence, server], gracefulShutdownSignals: [.sigterm])
    try await group.run()
  }
#endif
