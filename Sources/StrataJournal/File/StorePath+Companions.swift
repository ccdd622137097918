import Foundation

/// A file beside a store that is not the store's own.
package struct ForeignCompanion: Equatable {
  package let path: String
  /// Why it is not the store's.
  package let detail: String
}

extension StorePath {
  /// The files beside the store that SQLite or this library would take for the store's own.
  ///
  /// A rollback journal, or a super-journal that lists several, is one in any case: SQLite writes what it
  /// holds into the database, and a database in WAL mode never has one. SQLite's WAL and shared memory and
  /// the head are foreign if they are not regular files: SQLite follows links, and waits for FIFOs.
  ///
  /// O(files in the directory).
  package func foreignCompanions() throws(SystemError) -> [ForeignCompanion] {
    var found = [wal, shm, head].compactMap { path in
      FileIdentity.kind(ifNotRegularAt: path).map { kind in
        ForeignCompanion(path: path, detail: "\(path) is \(kind), not a regular file")
      }
    }
    for path in try rollbackJournals() {
      found.append(
        ForeignCompanion(
          path: path,
          detail: "\(path) is a rollback journal of SQLite, and a store never has one"
        )
      )
    }
    return found
  }

  /// Throws if there is a file beside the store that is not the store's own.
  package func checkCompanions(
    _ operation: PersistenceError.Operation
  ) throws(PersistenceError) {
    do {
      guard let first = try foreignCompanions().first else { return }
      throw PersistenceError(operation, path: file, .foreignCompanion(first.detail))
    } catch let error as PersistenceError {
      throw error
    } catch {
      throw PersistenceError(operation, path: file, wrapping: error)
    }
  }

  /// SQLite's rollback journal of the file, and the super-journals of transactions that started there.
  package func rollbackJournals() throws(SystemError) -> [String] {
    let prefix = (file as NSString).lastPathComponent
    return try namesInDirectory().filter { name in
      name.hasPrefix(prefix) && Self.isJournal(suffix: name.dropFirst(prefix.count))
    }
    .sorted().map { directory + "/" + $0 }
  }

  /// The names of everything in the store's directory.
  package func namesInDirectory() throws(SystemError) -> [String] {
    guard let stream = opendir(directory) else { throw SystemError("open", directory) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        names.append(String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self))
      }
    }
    return names
  }

  /// `-journal`; of a super-journal `-mj`, six hexadecimal digits, `9` and two more
  /// (`sqlite3VdbeHalt` in SQLite's source).
  package static func isJournal(suffix: Substring) -> Bool {
    if suffix == "-journal" { return true }
    let digits = suffix.utf8.dropFirst(3)
    return suffix.hasPrefix("-mj") && digits.count == 9
      && digits.dropFirst(6).first == UInt8(ascii: "9")
      && suffix.dropFirst(3).allSatisfy(\.isHexDigit)
  }
}
