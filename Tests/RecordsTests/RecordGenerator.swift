/// SplitMix64: random numbers that a printed seed brings back.
struct RecordGenerator: RandomNumberGenerator {
  private var state: UInt64

  /// A generator with a seed of its own, which is printed, so that a failure can be run again.
  static func printed(_ name: String, seed: UInt64 = .random(in: 0 ... .max)) -> RecordGenerator {
    print("\(name): seed \(seed)")
    return RecordGenerator(state: seed)
  }

  private init(state: UInt64) {
    self.state = state
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
    return mixed ^ mixed >> 31
  }

  mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &self) < percent
  }

  mutating func text() -> String {
    let alphabet = ["a", "Z", "0", " ", "\"", "\\", "\n", "\u{1}", "é", "e\u{301}", "日", "🙂", "/"]
    let count = Int.random(in: 0...12, using: &self)
    return (0..<count).map { _ in alphabet.randomElement(using: &self) ?? "" }.joined()
  }
}
