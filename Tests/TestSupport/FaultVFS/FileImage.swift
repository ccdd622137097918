/// A file as the medium holds it, and what has been written since the last sync.
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

  /// Everything written so far is on the medium.
  mutating func sync() {
    for change in pending { Self.apply(change, to: &durable) }
    pending = []
  }

  /// What was to be synced never gets there: the system has forgotten that it is not on the medium
  /// (Linux marks such pages clean), and a later sync that works says nothing of it.
  mutating func failSync() { pending = [] }

  /// The file as it might be found after a power cut: what was synced, and of the rest any subset of its
  /// sectors, a few of them written in part.
  func afterPowerCut(using random: inout PowerCutRandomness) -> [UInt8] {
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
      // Not element by element, which takes ages under the thread sanitizer.
      content.withUnsafeMutableBytes { $0[offset..<end].copyBytes(from: bytes) }
    }
  }
}

/// A seeded generator (SplitMix64), so that a failing cut can be made again.
struct PowerCutRandomness: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }

  mutating func below(_ bound: Int) -> Int {
    Int.random(in: 0..<bound, using: &self)
  }

  mutating func happens(_ chance: Double) -> Bool {
    Double.random(in: 0..<1, using: &self) < chance
  }

  /// One of 0/n, 1/n … n/n, so that losing nothing and losing everything occur too.
  mutating func fraction(of parts: Int) -> Double {
    Double(below(parts + 1)) / Double(parts)
  }
}
