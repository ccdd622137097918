import Foundation

/// A POSIX call that failed: the call, its path and its `errno`.
package struct SystemError: Error, Equatable, CustomStringConvertible {
  let call: String
  let path: String
  package let code: Int32
  /// What is at the path instead of a regular file; nil if that is not the reason.
  package let kind: String?

  package init(_ call: String, _ path: String, code: Int32 = errno) {
    self.call = call
    self.path = path
    self.code = code
    kind = nil
  }

  /// The error for a path at which there is something else than a regular file.
  package init(_ call: String, _ path: String, notRegular kind: String) {
    self.call = call
    self.path = path
    code = EINVAL
    self.kind = kind
  }

  package var description: String {
    if let kind { return "\(path) is \(kind), not a regular file" }
    return "\(call) \(path): \(String(cString: strerror(code)))"
  }
}
