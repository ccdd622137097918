/// The directory and the name that a path consists of.
///
/// ```swift
/// PathParts("backups/app.strata")     // "backups", "app.strata"
/// PathParts("x").directory            // "."
/// ```
///
/// They are those of `dirname` and `basename`, by the text alone: nothing is looked up, and links are not followed. Slashes at
/// the end do not count. `NSString` has methods for this too, but on Linux `deletingLastPathComponent` ends the process for a
/// relative path of one character, and `lastPathComponent` for one of slashes.
package struct PathParts: Equatable, Sendable {
  /// What stands before the name: `.` for a name alone, `/` for a name in the root.
  package let directory: String
  /// The last part; empty for an empty path and for the root.
  package let name: String

  package init(_ path: String) {
    let bytes = Array(path.utf8)
    let slash = UInt8(ascii: "/")
    func end(before limit: Int) -> Int {
      (bytes[..<limit].lastIndex { $0 != slash } ?? -1) + 1
    }
    let nameEnd = end(before: bytes.count)
    let nameStart = (bytes[..<nameEnd].lastIndex(of: slash) ?? -1) + 1
    name = String(decoding: bytes[nameStart..<nameEnd], as: UTF8.self)
    let directoryEnd = end(before: nameStart)
    directory =
      directoryEnd > 0
      ? String(decoding: bytes[..<directoryEnd], as: UTF8.self) : bytes.first == slash ? "/" : "."
  }

  /// Where the ending of the name starts, at its dot; nil if it has none.
  ///
  /// A dot at the start belongs to the name of a hidden file.
  private var dot: String.Index? {
    guard let dot = name.lastIndex(of: "."), dot > name.startIndex else { return nil }
    return name.index(after: dot) < name.endIndex ? dot : nil
  }

  /// What follows the last dot of the name, such as `csv`; empty if there is none.
  package var ending: String { dot.map { String(name[name.index(after: $0)...]) } ?? "" }

  /// The name without its ending.
  package var stem: String { dot.map { String(name[..<$0]) } ?? name }

  /// The path of a name in a directory.
  package static func path(of name: String, in directory: String) -> String {
    if directory == "." || directory.isEmpty { return name }
    return directory.hasSuffix("/") ? directory + name : directory + "/" + name
  }
}
