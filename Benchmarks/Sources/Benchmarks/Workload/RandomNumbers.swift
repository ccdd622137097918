/// An endless sequence of random user numbers.
struct RandomNumbers {
  private var random = SplitMix(seed: 2)
  private let count: UInt64

  init(below count: Int) { self.count = UInt64(count) }

  mutating func next() -> Int64 { Int64(random.next() % count) }
}
