#if Inspector
  import StrataInspector

  /// The code of the article "See it: one page for a store".
  private func servingThePage() async throws {
    let inspector = try await StateInspector.serve("app.strata")
    print(inspector.url)
    try await inspector.waitUntilStopped()
  }
#endif
