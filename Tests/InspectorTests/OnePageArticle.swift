#if Inspector
  import Strata
  import StrataInspector

  /// The code of the article "See it: one page for a store".
  private func servingThePage() async throws {
    let inspector = try await StateInspector.serve("app.strata")
    print(inspector.url)
    try await inspector.waitUntilStopped()
  }

  private func servingTheProcess<State, Database>(
    _ persistence: Persistence<State, Database>
  ) async throws {
    #if DEBUG
      let inspector = try await StateInspector.serve(persistence.live)
      print(inspector.url)
    #endif
  }
#endif
