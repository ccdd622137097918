import Foundation

extension StorePath {
  /// The temporary names from the creation of the file that a crash has left.
  ///
  /// Refuses a file that has another name (a hard link). The lock and SQLite's WAL are found by name: a
  /// program that opened the file under the other name would find neither, and the two would overwrite
  /// each other's changes (`sqlite.org/howtocorrupt.html`, section 2.5).
  func creationNames(
    _ operation: PersistenceError.Operation
  ) throws(PersistenceError) -> [String] {
    while true {
      let count = countOfNames
      guard count > 1 else { return [] }
      let names = try listCreationNames(operation)
      if count == names.count + 1 { return names }
      // If the count has changed, its creator has just removed a name.
      if count == countOfNames {
        throw PersistenceError(
          operation,
          path: file,
          .notAFile("one of several names (hard links) of a file")
        )
      }
    }
  }

  private func listCreationNames(
    _ operation: PersistenceError.Operation
  ) throws(PersistenceError) -> [String] {
    let prefix = (creating as NSString).lastPathComponent
    let identity = FileIdentity(ofFileAt: file)
    do {
      return try FileManager.default.contentsOfDirectory(atPath: directory)
        .filter { $0.hasPrefix(prefix) }.map { directory + "/" + $0 }
        .filter { FileIdentity(ofFileAt: $0) == identity }
    } catch {
      throw PersistenceError(operation, path: file, .io("\(error)"))
    }
  }

  private var countOfNames: Int {
    var status = stat()
    guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return 0 }
    return Int(status.st_nlink)
  }
}
