#if Postgres
  import StrataPostgres

  /// The code of the page of `StrataPostgres`.
  private func connecting() throws -> PostgresArchive {
    let archive = try PostgresArchive("service=strata", store: "app")
    return archive
  }
#endif
