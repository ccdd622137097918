/// Elements that are read when they are asked for, and of which the next one can be looked at.
package struct Peekable<Element> {
  @usableFromInline let read: () throws -> Element?
  @usableFromInline var upcoming: Element?
  @usableFromInline var hasUpcoming = false

  @inlinable package init(_ read: @escaping () throws -> Element?) { self.read = read }

  /// Elements that are read page by page; the closure gets the last element of the page before, and gives an empty one at
  /// the end.
  init(pages readPage: @escaping (Element?) throws -> [Element]) {
    var page: ArraySlice<Element> = []
    var last: Element?
    var isAtEnd = false
    self.init {
      if page.isEmpty, !isAtEnd {
        page = try readPage(last)[...]
        last = page.last
        isAtEnd = page.isEmpty
      }
      return page.popFirst()
    }
  }

  /// The next element, which stays the next one; nil at the end.
  @inlinable package mutating func peek() throws -> Element? {
    if !hasUpcoming {
      upcoming = try read()
      hasUpcoming = true
    }
    return upcoming
  }

  /// The next element; nil at the end.
  @inlinable package mutating func next() throws -> Element? {
    guard hasUpcoming else { return try read() }
    defer { (upcoming, hasUpcoming) = (nil, false) }
    return upcoming
  }

  /// The next element if it is one that is meant; nil otherwise.
  @inlinable package mutating func next(if isMeant: (Element) -> Bool) throws -> Element? {
    guard let element = try peek(), isMeant(element) else { return nil }
    return try next()
  }
}

extension ArraySlice<UInt8>? {
  /// The earlier of two IDs in the order of tables; nil if there is none.
  @inlinable package func orEarlier(_ other: ArraySlice<UInt8>?) -> ArraySlice<UInt8>? {
    guard let self, let other else { return self ?? other }
    return other.lexicographicallyPrecedes(self) ? other : self
  }
}
