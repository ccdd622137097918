#if Postgres
  import StrataArchiving
  import StrataJournal

  /// Why a call to a server failed.
  enum PostgresFailure: Error, Equatable {
    /// There is no connection, or it ended.
    case lost(String)
    /// The server did not answer in time.
    case timedOut
    /// The server refused a statement or a connection, with its SQLSTATE.
    case server(code: String, message: String)
    /// There are servers, and none of them can be written: a standby, or transactions of the role are read-only.
    case readOnly(String)
    /// No connection was made, and none will be with these settings.
    case misconfigured(String)

    /// Whether the same call may succeed later.
    var mayPass: Bool {
      if case .away = reason { true } else { false }
    }

    /// The reason for a user of the archive.
    ///
    /// The first two characters of a SQLSTATE are its class (PostgreSQL's documentation, appendix A). What is not the
    /// statement's own fault may pass, so it counts as `.away`.
    var reason: ArchiveError.Reason {
      switch self {
      case .lost(let message), .readOnly(let message): return .away(message)
      case .misconfigured(let message): return .noAccess(message)
      case .timedOut: return .away("the server did not answer in time")
      case .server(let code, let message):
        switch code {
        case "XX001", "XX002": return .damaged(message)
        case "42501":
          return .noAccess(
            """
            \(message); a role needs CONNECT on the database, USAGE on the schema strata and SELECT on its \
            tables, and to lead also INSERT, UPDATE and DELETE
            """
          )
        default: break
        }
        return switch code.prefix(2) {
        // A wrong user or password, and an unknown database.
        case "28", "3D": .noAccess("\(message) (SQLSTATE \(code))")
        case "0A", "21", "22", "23", "42", "54":
          .unusable("\(message) (SQLSTATE \(code))")
        default: .away("\(message) (SQLSTATE \(code))")
        }
      }
    }
  }
#endif
