extension RecordValue {
  /// The elements of an array, made in the program or still in the bytes of their record.
  public struct Elements: Sendable {
    fileprivate let source: Source<RecordValue>

    /// Creates an array.
    public init(_ elements: [RecordValue]) { source = .values(elements) }
    init(_ stored: StoredPart) { source = .stored(stored) }
  }

  /// The members of an object, made in the program or still in the bytes of their record.
  public struct Members: Sendable {
    fileprivate let source: Source<Member>

    /// Creates an object.
    public init(_ members: [Member]) { source = .values(members) }
    init(_ stored: StoredPart) { source = .stored(stored) }
  }

  fileprivate enum Source<Part: Sendable>: Sendable {
    case values([Part])
    case stored(StoredPart)
  }
}

extension RecordValue.Elements: Sequence, ExpressibleByArrayLiteral {
  /// Creates an array.
  public init(arrayLiteral elements: RecordValue...) { self.init(elements) }

  /// Iterates over the elements; O(bytes) in all.
  public func makeIterator() -> RecordValue.PartIterator<RecordValue> {
    switch source {
    case .values(let values): .init(values)
    case .stored(let stored): .init(stored) { _, value in value }
    }
  }
}

extension RecordValue.Members: Sequence, ExpressibleByArrayLiteral {
  /// Creates an object.
  public init(arrayLiteral members: RecordValue.Member...) { self.init(members) }

  /// Iterates over the members; O(bytes) in all.
  public func makeIterator() -> RecordValue.PartIterator<RecordValue.Member> {
    switch source {
    case .values(let values): .init(values)
    case .stored(let stored): .init(stored) { name, value in .init(name ?? "", value) }
    }
  }

  /// The only member, if there is exactly one.
  package var only: RecordValue.Member? {
    var iterator = makeIterator()
    guard let first = iterator.next(), iterator.next() == nil else { return nil }
    return first
  }
}

extension RecordValue {
  /// Iterates over the parts of a value.
  public struct PartIterator<Part: Sendable>: IteratorProtocol {
    private enum Source {
      case values(IndexingIterator<[Part]>)
      case stored(StoredPartIterator, (String?, RecordValue) -> Part)
    }

    private var source: Source

    fileprivate init(_ values: [Part]) { source = .values(values.makeIterator()) }

    fileprivate init(_ part: StoredPart, _ make: @escaping (String?, RecordValue) -> Part) {
      source = .stored(StoredPartIterator(part), make)
    }

    /// The next part; nil at the end.
    public mutating func next() -> Part? {
      switch source {
      case .values(var iterator):
        let next = iterator.next()
        source = .values(iterator)
        return next
      case .stored(var iterator, let make):
        let next = iterator.next()
        source = .stored(iterator, make)
        return next.map { make($0.name, $0.value) }
      }
    }

    /// The end of the parts in their record, once all were returned; nil for parts made in the program.
    var end: Int? {
      if case .stored(let iterator, _) = source { iterator.offset } else { nil }
    }

    /// Notes the end of the part that was returned last, so that it is not skipped again.
    mutating func noteEnd(_ end: Int?) {
      guard let end, case .stored(var iterator, let make) = source else { return }
      iterator.noteEnd(end)
      source = .stored(iterator, make)
    }
  }
}
