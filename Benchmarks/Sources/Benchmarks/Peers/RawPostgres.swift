#if POSTGRES_PEER
  import CBenchmarksPostgres

  /// One connection to a server, and a table of bytes.
  final class RawPostgres {
    private let connection: OpaquePointer

    init(_ url: String) {
      guard let connection = PQconnectdb(url), PQstatus(connection) == CONNECTION_OK else {
        fatalError("The server does not answer.")
      }
      self.connection = connection
      run("DROP TABLE IF EXISTS benchmark_log")
      run("CREATE TABLE benchmark_log (id bigserial PRIMARY KEY, body bytea NOT NULL)")
    }

    deinit { PQfinish(connection) }

    private func run(_ sql: String) { check(PQexec(connection, sql)) }

    /// Inserts a row, which the server has on its disk when this returns.
    func insert(_ bytes: [UInt8]) {
      bytes.withUnsafeBytes { bytes in
        var value = bytes.assumingMemoryBound(to: CChar.self).baseAddress
        var length = Int32(bytes.count)
        var format: Int32 = 1
        let sql = "INSERT INTO benchmark_log (body) VALUES ($1)"
        check(PQexecParams(connection, sql, 1, nil, &value, &length, &format, 1))
      }
    }

    private func check(_ result: OpaquePointer?) {
      defer { PQclear(result) }
      let status = PQresultStatus(result)
      guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else {
        fatalError("The server refused a statement: \(String(cString: PQerrorMessage(connection)))")
      }
    }
  }
#endif
