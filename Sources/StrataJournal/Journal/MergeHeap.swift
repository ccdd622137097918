/// A heap of the first elements of sorted sequences that are merged.
struct MergeHeap<Element> {
  private var elements: [Element]
  private let precedes: (Element, Element) -> Bool

  /// O(n).
  init(_ elements: [Element], _ precedes: @escaping (Element, Element) -> Bool) {
    self.elements = elements
    self.precedes = precedes
    for index in stride(from: elements.count / 2 - 1, through: 0, by: -1) { sink(index) }
  }

  /// The least element.
  var first: Element? { elements.first }

  /// Puts the next element of its sequence in the place of the least one; nil at the end of the sequence.
  ///
  /// O(log n).
  mutating func replaceFirst(by next: Element?) {
    guard let next = next ?? elements.popLast(), !elements.isEmpty else { return }
    elements[0] = next
    sink(0)
  }

  /// Moves an element down to where it is not after those below it.
  private mutating func sink(_ start: Int) {
    var index = start
    let element = elements[index]
    while true {
      var child = 2 * index + 1
      guard child < elements.count else { break }
      if child + 1 < elements.count, precedes(elements[child + 1], elements[child]) { child += 1 }
      guard precedes(elements[child], element) else { break }
      elements[index] = elements[child]
      index = child
    }
    elements[index] = element
  }
}
