import TestSupport
import Testing

@testable import StrataNormalization

@Suite struct OrderedListTests {
  @Test func `it is what an array is, and older copies stay as they were`() {
    for seed in 0..<UInt64(loopCount("STRATA_SEQUENCES", 300)) {
      var generator = SeededGenerator(seed: seed)
      var list = OrderedList<String>()
      var array: [String] = []
      var kept: [(OrderedList<String>, [String])] = []
      let growth = Int.random(in: 3...7, using: &generator)
      for step in 0..<600 {
        if array.isEmpty || Int.random(in: 0..<10, using: &generator) < growth {
          let position = Int.random(in: 0...array.count, using: &generator)
          list.insert("\(step)", at: position)
          array.insert("\(step)", at: position)
        } else {
          let position = Int.random(in: 0..<array.count, using: &generator)
          list.remove(at: position)
          array.remove(at: position)
        }
        if step % 97 == 0 { kept.append((list, array)) }
      }
      for (list, array) in kept + [(list, array)] {
        #expect(list.count == array.count, "\(generator)")
        #expect((0..<list.count).map { list[$0] } == array, "\(generator)")
        #expect(fault(in: list) == nil, "\(generator)")
      }
    }
  }

  @Test func `the partition of a sorted list is where the predicate begins to hold`() {
    for count in [0, 1, 2, 31, 32, 33, 500, 5_000] {
      var list = OrderedList<Int>()
      for number in 0..<count { list.insert(number * 2, at: number) }
      for bound in [-1, 0, 1, count, count + 1, 2 * count - 2, 2 * count - 1, 2 * count] {
        let expected = (0..<count).first { $0 * 2 >= bound } ?? count
        #expect(list.partition { $0 >= bound } == expected, "\(bound) among \(count)")
      }
    }
  }

  @Test func `a list grows and shrinks at either end`() {
    for isFront in [true, false] {
      var list = OrderedList<Int>()
      for number in 0..<3_000 { list.insert(number, at: isFront ? 0 : list.count) }
      #expect(fault(in: list) == nil)
      while list.count > 0 {
        list.remove(at: isFront ? 0 : list.count - 1)
        if let fault = fault(in: list) {
          Issue.record("\(fault) at \(list.count)")
          return
        }
      }
      #expect(list.root == nil)
    }
  }

  private func fault<Element>(in list: OrderedList<Element>) -> String? {
    guard let root = list.root else { return nil }
    if root.count == 0 { return "a root without elements" }
    if root.children.count == 1 { return "a root with one child" }
    return fault(in: root, isRoot: true).fault
  }

  private func fault<Element>(
    in node: OrderedListNode<Element>,
    isRoot: Bool
  ) -> (depth: Int, fault: String?) {
    var fault: String?
    if node.width > OrderedListNode<Element>.widest { fault = "a node of \(node.width)" }
    if !isRoot, node.width < OrderedListNode<Element>.narrowest { fault = "a narrow node" }
    guard !node.children.isEmpty else {
      return (0, node.count == node.elements.count ? fault : "a wrong count of elements")
    }
    if !node.elements.isEmpty { fault = "a branch with elements" }
    if node.count != node.children.reduce(0, { $0 + $1.count }) { fault = "a wrong count" }
    let children = node.children.map { self.fault(in: $0, isRoot: false) }
    if Set(children.map(\.depth)).count > 1 { fault = "leaves of several depths" }
    return (children[0].depth + 1, fault ?? children.compactMap(\.fault).first)
  }
}
