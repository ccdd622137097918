import CStrataSQLite

/// How a connection opens its file.
package enum OpenMode: Sendable {
  /// Reads and writes an existing file.
  case readWrite
  /// Reads and writes, and creates the file if it does not exist.
  case create
  /// Reads only. In WAL mode this may still write the `-shm` file next to the database.
  case readOnly
  /// Reads only, without locks and without the WAL (`immutable=1`, `sqlite.org/uri.html`).
  ///
  /// Only for a file without a writer and with an empty WAL: commits that are only in the WAL are
  /// **silently ignored**, and a file that changes meanwhile gives wrong results.
  case immutable

  /// Whether the connection may write.
  package var isWriting: Bool {
    switch self {
    case .readWrite, .create: true
    case .readOnly, .immutable: false
    }
  }

  var flags: Int32 {
    let access =
      switch self {
      case .readWrite: SQLITE_OPEN_READWRITE
      case .create: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      case .readOnly: SQLITE_OPEN_READONLY
      case .immutable: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
      }
    return access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
  }

  /// The name to pass to SQLite for a path on disk.
  func name(for path: String) -> String {
    switch self {
    case .readWrite, .create, .readOnly: Self.literal(path)
    case .immutable: Self.uri(path) + "?immutable=1"
    }
  }

  /// A path in a form that SQLite does not read as anything else.
  ///
  /// A library built with `USE_URI`, such as Debian's, reads any name that starts with `file:` as a URI,
  /// whatever the flags. A leading colon is reserved for names like `:memory:`
  /// (`sqlite.org/c3ref/open.html`).
  static func literal(_ path: String) -> String {
    path.hasPrefix("file:") || path.hasPrefix(":") ? "./" + path : path
  }

  private static func uri(_ path: String) -> String {
    var uri = path.hasPrefix("/") ? "file://" : "file:"
    for byte in path.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "."),
        UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "~"):
        uri.unicodeScalars.append(Unicode.Scalar(byte))
      default:
        let digits = String(byte, radix: 16, uppercase: true)
        uri += digits.count == 1 ? "%0\(digits)" : "%\(digits)"
      }
    }
    return uri
  }
}
