import Foundation

/// The bytes that this user may still write to the file system of a directory; nil where it does not say.
package func freeBytes(in directory: String) -> Int64? {
  var status = statvfs()
  guard statvfs(directory, &status) == 0, let blocks = Int64(exactly: status.f_bavail),
    let size = Int64(exactly: status.f_frsize)
  else { return nil }
  let (bytes, overflows) = blocks.multipliedReportingOverflow(by: size)
  return overflows ? nil : bytes
}
