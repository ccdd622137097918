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
  /// Whether a sync of SQLite leaves what was written in the cache of the drive, which one of an own file empties.
  var hasDriveCache = false
  /// What the disk does wrong without saying so: every so many times.
  var lies: [(lie: DiskLie, kind: FileKind, every: Int, duration: FaultDuration)] = []
  var lieCounts: [DiskLie: Int] = [:]
  /// The sectors that cannot be read until they are written again, by the paths of their files.
  private var unreadable: [String: Set<Int>] = [:]

  /// Whether the disk lies this time.
  mutating func lies(_ lie: DiskLie, in kind: FileKind) -> Bool {
    guard let index = lies.firstIndex(where: { $0.lie == lie && $0.kind == kind }) else {
      return false
    }
    lieCounts[lie, default: 0] += 1
    let lies = lieCounts[lie, default: 0] % self.lies[index].every == 0
    if lies, self.lies[index].duration == .once { self.lies.remove(at: index) }
    return lies
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

  /// Notes what a file has from now on.
  mutating func record(_ change: FileImage.Change, in path: String) {
    images[path]?.record(change)
    guard let sectors = unreadable[path] else { return }
    switch change {
    case .write(let offset, let bytes):
      let last = (offset + bytes.count) / FileImage.sectorSize
      let first = (offset + FileImage.sectorSize - 1) / FileImage.sectorSize
      if first < last { unreadable[path] = sectors.subtracting(first..<last) }
    case .truncate(let size):
      unreadable[path] = sectors.filter { $0 * FileImage.sectorSize < size }
    }
  }

  mutating func loseSector(at offset: Int, of path: String) {
    unreadable[path, default: []].insert(offset / FileImage.sectorSize)
  }

  var canReadAll: Bool { unreadable.allSatisfy(\.value.isEmpty) }

  mutating func readLostSectors() { unreadable = [:] }

  func canRead(_ range: Range<Int>, of path: String) -> Bool {
    guard let sectors = unreadable[path], !range.isEmpty else { return true }
    let last = (range.upperBound - 1) / FileImage.sectorSize
    return sectors.isDisjoint(with: range.lowerBound / FileImage.sectorSize...last)
  }
}
