/// What a ``FaultVFS`` counts, lets fail and follows; pure.
struct FaultState {
  var counts: [FileKind: [FileOperation: Int]] = [:]
  var faults: [PendingFault] = []
  var images: [String: FileImage] = [:]
  var isWriteProtected = false
  var struck = 0
  var lockWaits: [Duration] = []
  var follows = true
  var lastOperation: Int?

  /// Counts an operation and gives the fault that strikes it, if any.
  mutating func strike(_ operation: FileOperation, in kind: FileKind) -> PendingFault? {
    counts[kind, default: [:]][operation, default: 0] += 1
    guard let index = faults.firstIndex(where: { $0.matches(operation, kind) }) else {
      return nil
    }
    if faults[index].remaining > 0 {
      faults[index].remaining -= 1
      return nil
    }
    let fault = faults[index]
    struck += 1
    if fault.duration == .once { faults.remove(at: index) }
    return fault
  }

  func count(of operation: FileOperation, in kind: FileKind?) -> Int {
    counts.filter { kind == nil || $0.key == kind }.values
      .reduce(0) { $0 + ($1[operation] ?? 0) }
  }

  /// Whether the operation that was counted last is the one the process is not to survive.
  var isOver: Bool {
    lastOperation.map { last in counts.values.reduce(0) { $0 + $1.values.reduce(0, +) } >= last }
      ?? false
  }

  mutating func follow(_ path: String, content: () -> [UInt8]) {
    if follows, images[path] == nil { images[path] = FileImage(durable: content()) }
  }
}
