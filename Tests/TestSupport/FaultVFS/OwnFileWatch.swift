import Foundation
import StrataBase
import StrataCore
import StrataJournal
import StrataPersistence

/// Counts the system calls for a store's own files, injects faults, and tracks the head.
final class OwnFileWatch: DiskWatch {
  private let state: Lock<FaultState>

  init(_ state: Lock<FaultState>) { self.state = state }

  func fault(before call: DiskCall) -> DiskCall.Fault? {
    guard let operation = call.operation,
      let fault = state.withLock({ $0.nextFault(for: operation, in: .own) })
    else { return nil }
    if case .sync(let path) = call { state.withLock { $0.images[path]?.failSync() } }
    let code = fault.code == .full ? ENOSPC : operation == .lock ? EWOULDBLOCK : EIO
    return DiskCall.Fault(code: code, isHalfDone: fault.isPartial)
  }

  func didMake(_ call: DiskCall) {
    state.withLock { state in
      switch call {
      // Reading a database here would drop SQLite's locks when its descriptor closes. A head has no locks.
      case .open(let path) where path.hasSuffix(".head"):
        state.follow(path) { (FileManager.default.contents(atPath: path)).map { Array($0) } ?? [] }
      case .write(let path, let offset, let bytes):
        state.images[path]?.record(.write(offset: Int(offset), bytes: bytes))
      case .truncate(let path, let size): state.images[path]?.record(.truncate(size: Int(size)))
      case .sync(let path):
        if state.lies(.forgetsSyncs, in: .own) { break }
        for path in state.hasDriveCache ? Array(state.images.keys) : [path] {
          state.images[path]?.sync()
        }
      case .rename(let source, let destination), .link(let source, let destination):
        // One that is not tracked takes the place of what was there. A file that is linked loses its first name.
        state.images[destination] = state.images.removeValue(forKey: source)
      case .remove(let path): state.images[path] = nil
      default: break
      }
    }
  }
}

extension DiskCall {
  /// The operation of the call; nil for a call that cannot fail.
  fileprivate var operation: FileOperation? {
    switch self {
    case .open: .open
    case .read: .read
    case .write: .write
    case .truncate: .truncate
    case .sync: .sync
    case .lock: .lock
    case .rename: .rename
    case .link: .link
    case .remove: .delete
    case .makeDirectory: .makeDirectory
    }
  }
}
