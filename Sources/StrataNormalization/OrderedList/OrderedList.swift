/// A sequence with cheap changes in the middle and cheap copies: the storage of ordered indexes.
///
/// It is a B+ tree by position. Leaves hold a few elements in contiguous memory; branches hold nodes and
/// the number of elements below them. A copy shares all nodes. A change copies the nodes from the root
/// to one leaf where they are shared, and changes them in place where they are not. The caller
/// maintains the order: ``partition(where:)`` finds the place of an element in a sorted list.
///
/// The conformance to `Sendable` is unchecked because nodes are changed in place, but only through the
/// only reference to them, and so before another thread can have one.
@usableFromInline
struct OrderedList<Element: Sendable>: @unchecked Sendable {
  @usableFromInline typealias Node = OrderedListNode<Element>

  /// Nil when there are no elements.
  @usableFromInline var root: Node?

  @inlinable
  init() { root = nil }

  /// O(1).
  @inlinable var count: Int { root?.count ?? 0 }

  /// The element at a position, which must exist.
  ///
  /// O(log n).
  @inlinable
  subscript(position: Int) -> Element {
    var node = root.unsafelyUnwrapped
    var position = position
    while !node.children.isEmpty {
      var child = 0
      while position >= node.children[child].count {
        position -= node.children[child].count
        child += 1
      }
      node = node.children[child]
    }
    return node.elements[position]
  }

  /// The first position whose element satisfies the predicate, or the end; all elements that do must be
  /// behind those that do not.
  ///
  /// O(log n) calls.
  @inlinable
  func partition(where isBehind: (Element) -> Bool) -> Int {
    guard var node = root else { return 0 }
    var position = 0
    while !node.children.isEmpty {
      // The first child whose last element is behind; the last child if there is none.
      var (lower, upper) = (0, node.children.count - 1)
      while lower < upper {
        let middle = (lower + upper) / 2
        if isBehind(node.children[middle].last) { upper = middle } else { lower = middle + 1 }
      }
      for child in 0..<lower { position += node.children[child].count }
      node = node.children[lower]
    }
    var (lower, upper) = (0, node.elements.count)
    while lower < upper {
      let middle = (lower + upper) / 2
      if isBehind(node.elements[middle]) { upper = middle } else { lower = middle + 1 }
    }
    return position + lower
  }
}

/// A leaf, which has elements, or a branch, which has children.
@usableFromInline
final class OrderedListNode<Element> {
  @usableFromInline var elements: [Element]
  @usableFromInline var children: [OrderedListNode]
  /// The number of elements in the node and below it.
  @usableFromInline var count: Int

  @inlinable
  init(_ elements: [Element]) {
    self.elements = elements
    children = []
    count = elements.count
  }

  @inlinable
  init(_ children: [OrderedListNode]) {
    elements = []
    self.children = children
    count = children.reduce(0) { $0 + $1.count }
  }

  @inlinable
  init(copying node: OrderedListNode) {
    elements = node.elements
    children = node.children
    count = node.count
  }

  /// The last element below the node, which is not empty.
  @inlinable var last: Element {
    var node = self
    while let child = node.children.last { node = child }
    return node.elements[node.elements.count - 1]
  }

  /// The number of its elements or children.
  @inlinable var width: Int { children.isEmpty ? elements.count : children.count }

  /// The greatest and the least width of a node, except for the root and the ends of a list built at
  /// once: a narrower node is joined with its neighbour.
  @inlinable static var widest: Int { 32 }
  @inlinable static var narrowest: Int { 10 }
}
