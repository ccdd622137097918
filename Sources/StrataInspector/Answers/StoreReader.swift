import StrataBase
import StrataInspection
import StrataJournal
import StrataStorage

/// Opens a store for each request, so that a page that is only shown keeps no program from opening it.
///
/// A store that was left behind by its writer is copied to be read. That copy is kept as long as the file does not
/// change, because making it costs O(file).
package struct StoreReader: Sendable {
  private struct Copy {
    var state: StoreFileState?
    var inspector: Inspector?
  }

  let path: String
  /// The store in this process; nil for any file.
  let live: LiveStore?
  private let copy = Lock(Copy())

  package init(_ path: String) {
    self.path = path
    live = nil
  }

  init(_ live: LiveStore) {
    path = live.path
    self.live = live
  }

  /// Runs a closure with the store; one at a time where a copy is read.
  ///
  /// Throws `.suspended` while this process has released the file: then it must hold no lock on it.
  func read<R>(_ body: (Inspector) throws -> R) throws -> R {
    if case .suspended = live?.status()?.condition {
      throw PersistenceError(.inspecting, path: path, .suspended)
    }
    let state = StoreFileState(path)
    let answer: R? = try copy.withLock { copy in
      guard let inspector = copy.inspector else { return nil }
      if copy.state == state { return try body(inspector) }
      copy = Copy()
      return nil
    }
    if let answer { return answer }
    let inspector = try Inspector(path: path)
    guard inspector.isOfCopy else { return try body(inspector) }
    return try copy.withLock { copy in
      copy.state = state
      copy.inspector = inspector
      guard let inspector = copy.inspector else { return try body(Inspector(path: path)) }
      return try body(inspector)
    }
  }
}
