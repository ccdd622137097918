extension OrderedList {
  /// Inserts an element before the one at a position, or at the end.
  ///
  /// O(log n).
  @inlinable
  mutating func insert(_ element: Element, at position: Int) {
    guard var node = root.take() else {
      root = Node([element])
      return
    }
    if let added = Node.insert(element, at: position, into: &node) { node = Node([node, added]) }
    root = node
  }

  /// Removes the element at a position, which must exist.
  ///
  /// O(log n).
  @inlinable
  mutating func remove(at position: Int) {
    var node = root.take().unsafelyUnwrapped
    Node.remove(at: position, from: &node)
    if node.children.count == 1 { node = node.children[0] }
    root = node.count == 0 ? nil : node
  }

  /// Creates a list of the elements, in order.
  ///
  /// O(n).
  @inlinable
  init(_ elements: [Element]) {
    self.init()
    var nodes = Node.chunks(of: elements).map { Node(Array($0)) }
    while nodes.count > 1 { nodes = Node.chunks(of: nodes).map { Node(Array($0)) } }
    root = nodes.first
  }
}

extension OrderedListNode {
  /// Slices of nearly the same length, each with capacity for a few more elements.
  @inlinable
  static func chunks<Piece>(of pieces: [Piece]) -> [ArraySlice<Piece>] {
    guard !pieces.isEmpty else { return [] }
    let full = widest * 3 / 4
    let count = (pieces.count + full - 1) / full
    return (0..<count).map { index in
      pieces[index * pieces.count / count..<(index + 1) * pieces.count / count]
    }
  }

  @inlinable
  static func own(_ node: inout OrderedListNode) {
    if !isKnownUniquelyReferenced(&node) { node = OrderedListNode(copying: node) }
  }

  /// Returns the upper half as a node of its own if the insertion made the node too wide.
  @inlinable
  static func insert(
    _ element: Element,
    at position: Int,
    into node: inout OrderedListNode
  ) -> OrderedListNode? {
    own(&node)
    node.count += 1
    if node.children.isEmpty {
      node.elements.insert(element, at: position)
    } else {
      var (child, position) = (0, position)
      // At the boundary of two children the element is inserted at the end of the first.
      while position > node.children[child].count {
        position -= node.children[child].count
        child += 1
      }
      guard let added = insert(element, at: position, into: &node.children[child]) else {
        return nil
      }
      node.children.insert(added, at: child + 1)
    }
    return node.width > widest ? node.splitOff() : nil
  }

  /// Removes the upper half and returns it as a node.
  @inlinable
  func splitOff() -> OrderedListNode {
    let half = width / 2
    let upper: OrderedListNode
    if children.isEmpty {
      upper = OrderedListNode(Array(elements[half...]))
      elements.removeSubrange(half...)
    } else {
      upper = OrderedListNode(Array(children[half...]))
      children.removeSubrange(half...)
    }
    count -= upper.count
    return upper
  }

  @inlinable
  static func remove(at position: Int, from node: inout OrderedListNode) {
    own(&node)
    node.count -= 1
    guard !node.children.isEmpty else {
      node.elements.remove(at: position)
      return
    }
    var (child, position) = (0, position)
    while position >= node.children[child].count {
      position -= node.children[child].count
      child += 1
    }
    remove(at: position, from: &node.children[child])
    if node.children[child].width < narrowest { node.widen(child) }
  }

  /// Joins a narrow child with its neighbour, and splits the two again if they are too wide.
  @inlinable
  func widen(_ child: Int) {
    guard children.count > 1 else { return }
    let first = child == 0 ? 0 : child - 1
    let (a, b) = (children[first], children[first + 1])
    let joined = OrderedListNode(copying: a)
    joined.elements += b.elements
    joined.children += b.children
    joined.count += b.count
    children[first] = joined
    if joined.width > Self.widest {
      children[first + 1] = joined.splitOff()
    } else {
      children.remove(at: first + 1)
    }
  }
}
