import Foundation

/// What shows from outside that a store was written: sizes and times of its files.
///
/// It opens nothing. Two writes within a tick of the file system's clock look like one.
package struct StoreFileState: Equatable, Sendable {
  private let times: [Int64]

  package init(_ path: String) {
    times = ["", "-wal"].flatMap { suffix -> [Int64] in
      var status = stat()
      guard stat(path + suffix, &status) == 0 else { return [Int64(-1)] }
      #if canImport(Darwin)
        let time = status.st_mtimespec
      #else
        let time = status.st_mtim
      #endif
      return [
        Int64(status.st_ino), Int64(status.st_size), Int64(time.tv_sec), Int64(time.tv_nsec),
      ]
    }
  }
}
