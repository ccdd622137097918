/// The content of a file on the medium, and the writes since the last sync.
struct FileImage {
  enum Change {
    case write(offset: Int, bytes: [UInt8])
    case truncate(size: Int)
  }

  static let sectorSize = 512

  private(set) var durable: [UInt8]
  private(set) var pending: [Change] = []

  init(durable: [UInt8]) {
    self.durable = durable
  }

  mutating func record(_ change: Change) {
    pending.append(change)
  }

  /// Moves all writes to the medium.
  mutating func sync() {
    for change in pending { Self.apply(change, to: &durable) }
    pending = []
  }

  /// With all writes, as a program sees it.
  var current: [UInt8] {
    var content = durable
    for change in pending { Self.apply(change, to: &content) }
    return content
  }

  /// Changes a bit of all that the file has at an offset.
  mutating func rot(at offset: Int, bit: Int) {
    if durable.indices.contains(offset) { durable[offset] ^= 1 << bit }
    pending = pending.map { change in
      guard case .write(let start, var bytes) = change, bytes.indices.contains(offset - start)
      else { return change }
      bytes[offset - start] ^= 1 << bit
      return .write(offset: start, bytes: bytes)
    }
  }

  /// Drops the writes since the last sync: Linux marks the pages of a failed sync clean, so no later sync
  /// writes them.
  mutating func failSync() { pending = [] }

  /// The file as it may be after a power cut: the synced content, and of the later writes any subset of
  /// sectors, some of them incomplete.
  func afterPowerCut(using random: inout SeededGenerator) -> [UInt8] {
    let survival = random.fraction(of: 4)
    var content = durable
    for change in pending {
      switch change {
      case .truncate:
        if random.happens(survival) { Self.apply(change, to: &content) }
      case .write(let offset, let bytes):
        var start = 0
        while start < bytes.count {
          let sectorEnd = Self.sectorSize - (offset + start) % Self.sectorSize
          let end = min(bytes.count, start + sectorEnd)
          var survivors = random.happens(survival) ? end - start : 0
          if survivors > 0, random.happens(0.05) { survivors = random.below(survivors) }
          Self.apply(
            .write(offset: offset + start, bytes: Array(bytes[start..<start + survivors])),
            to: &content
          )
          start = end
        }
      }
    }
    return content
  }

  private static func apply(_ change: Change, to content: inout [UInt8]) {
    switch change {
    case .truncate(let size):
      if size < content.count {
        content.removeLast(content.count - size)
      } else {
        content += [UInt8](repeating: 0, count: size - content.count)
      }
    case .write(let offset, let bytes):
      guard !bytes.isEmpty else { return }
      let end = offset + bytes.count
      if end > content.count {
        content += [UInt8](repeating: 0, count: end - content.count)
      }
      // Copying element by element is very slow under the thread sanitizer.
      content.withUnsafeMutableBytes { $0[offset..<end].copyBytes(from: bytes) }
    }
  }
}

extension SeededGenerator {
  fileprivate mutating func below(_ bound: Int) -> Int {
    Int.random(in: 0..<bound, using: &self)
  }

  fileprivate mutating func happens(_ probability: Double) -> Bool {
    Double.random(in: 0..<1, using: &self) < probability
  }

  /// One of 0/n, 1/n … n/n, so that losing nothing and losing everything occur too.
  fileprivate mutating func fraction(of parts: Int) -> Double {
    Double(below(parts + 1)) / Double(parts)
  }
}
