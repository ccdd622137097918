/// The fields of SQLite's header that identify a file.
package struct FileHeader: Equatable, Sendable {
  /// The number that distinguishes this format from other SQLite files, also for `file(1)` (offset 68).
  package let applicationID: Int32
  /// The version of the file's schema (offset 60).
  package let userVersion: Int32

  /// Creates a header; the version is 0 until the first migration has run.
  package init(applicationID: Int32, userVersion: Int32 = 0) {
    self.applicationID = applicationID
    self.userVersion = userVersion
  }
}
