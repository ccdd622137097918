import Foundation

/// The counters, faults and tracked files of a ``FaultVFS``.
struct FaultState {
  var counts: [FileKind: [FileOperation: Int]] = [:]
  var faults: [PendingFault] = []
  var images: [String: FileImage] = [:]
  var isWriteProtected = false
  var failureCount = 0
  var lockWaits: [Duration] = []
  var follows = true
  var lastOperation: Int?
  /// What the disk does wrong without saying so: every so many times.
  var lies: [(lie: DiskLie, kind: FileKind, every: Int)] = []
  var lieCounts: [DiskLie: Int] = [:]

  /// Whether the disk lies this time.
  mutating func lies(_ lie: DiskLie, in kind: FileKind) -> Bool {
    guard let found = lies.first(where: { $0.lie == lie && $0.kind == kind }) else { return false }
    lieCounts[lie, default: 0] += 1
    return lieCounts[lie, default: 0] % found.every == 0
  }

  /// Counts an operation and returns its fault, if it fails.
  mutating func nextFault(for operation: FileOperation, in kind: FileKind) -> PendingFault? {
    counts[kind, default: [:]][operation, default: 0] += 1
    if isAtLastOperation { kill(getpid(), SIGKILL) }
    guard let index = faults.firstIndex(where: { $0.matches(operation, kind) }) else {
      return nil
    }
    if faults[index].remaining > 0 {
      faults[index].remaining -= 1
      return nil
    }
    let fault = faults[index]
    failureCount += 1
    if fault.duration == .once { faults.remove(at: index) }
    return fault
  }

  func count(of operation: FileOperation, in kind: FileKind?) -> Int {
    counts.filter { kind == nil || $0.key == kind }.values
      .reduce(0) { $0 + ($1[operation] ?? 0) }
  }

  /// Whether the process must end at the operation that was counted last.
  var isAtLastOperation: Bool {
    lastOperation.map { last in counts.values.reduce(0) { $0 + $1.values.reduce(0, +) } >= last }
      ?? false
  }

  mutating func follow(_ path: String, content: () -> [UInt8]) {
    if follows, images[path] == nil { images[path] = FileImage(durable: content()) }
  }
}
