import Foundation

/// A POSIX call that failed: the call, its path and its `errno`.
package struct SystemError: Error, Equatable, CustomStringConvertible {
  let call: String
  let path: String
  let code: Int32

  init(_ call: String, _ path: String, code: Int32 = errno) {
    self.call = call
    self.path = path
    self.code = code
  }

  package var description: String { "\(call) \(path): \(String(cString: strerror(code)))" }
}
