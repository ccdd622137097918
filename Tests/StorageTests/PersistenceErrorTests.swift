import Foundation
import Testing

@testable import StrataStorage

@Suite struct PersistenceErrorTests {
  @Test(arguments: [EACCES, EPERM])
  func `a reader that may not read is not asked for permission to write`(code: Int32) {
    let error = PersistenceError(
      .inspecting,
      path: "/app.strata",
      wrapping: SystemError("open", "/app.strata", code: code)
    )
    guard case .notReadable = error.reason else {
      Issue.record("\(error.reason)")
      return
    }
    #expect(!error.description.contains("write"), "\(error)")
    #expect(error.description.hasPrefix("/app.strata: cannot read this path ("))
  }

  @Test(arguments: [EACCES, EPERM, EROFS])
  func `an opening that may not write says so`(code: Int32) {
    let error = PersistenceError(
      .opening,
      path: "/app.strata",
      wrapping: SystemError("open", "/app.strata", code: code)
    )
    guard case .notWritable = error.reason else {
      Issue.record("\(error.reason)")
      return
    }
  }
}
