package import StrataRecords

/// A value of JSON as the kinds of a layout, or of what is stored already, have it.
extension RecordValue {
  /// What a part of JSON may be where a kind has another shape.
  package enum Shapes {
    /// An array is an array, and an object an object.
    case ofKind
    /// A script may give a value another shape.
    case free
  }

  /// A part that does not fit the kind of its place.
  package struct Misfit: Error, Equatable {
    /// Where it is in the value: `.lines[0].cents`; empty for the value itself.
    package private(set) var path: String
    package let value: RecordValue
    package let kind: Layout.Kind?

    package init(_ value: RecordValue, _ kind: Layout.Kind?) {
      (path, self.value, self.kind) = ("", value, kind)
    }

    fileprivate func within(_ step: String) -> Misfit {
      var misfit = self
      misfit.path = step + path
      return misfit
    }
  }

  /// The value of JSON as it is stored.
  ///
  /// Parts whose text is that of the part before stay what they were; others take the kind that the layout has, else
  /// that of the part before. O(parts).
  ///
  /// A new member of a dictionary, and a new element, has the kind of the others, if they are of one.
  package func stored(
    as kind: Layout.Kind?,
    like before: RecordValue? = nil,
    _ shapes: Shapes = .ofKind
  ) throws(Misfit) -> RecordValue {
    switch (self, kind) {
    case (.null, _): return self
    case (.object(let members), .record?), (.object(let members), .tagged?),
      (.object(let members), .unknown?), (.object(let members), nil):
      return try Self.stored(members, kind, before, shapes)
    case (.object(let members), _) where shapes == .free:
      return try Self.stored(members, kind, before, shapes)
    case (.array(let elements), .array?), (.array(let elements), .tagged?),
      (.array(let elements), .unknown?), (.array(let elements), nil):
      return try Self.stored(elements, kind, before, shapes)
    case (.array(let elements), _) where shapes == .free:
      return try Self.stored(elements, kind, before, shapes)
    case (.object, _), (.array, _): throw Misfit(self, kind)
    default: break
    }
    if let before, before.scalar?.stored(self) == before { return before }
    switch kind {
    case .scalar(let scalar)?:
      guard let stored = scalar.stored(self) else { throw Misfit(self, kind) }
      return stored
    case .array?, .record?:
      if shapes == .ofKind { throw Misfit(self, kind) }
      return before?.scalar?.stored(self) ?? self
    case .tagged?, .unknown?, nil: return before?.scalar?.stored(self) ?? self
    }
  }

  private static func stored(
    _ members: Members,
    _ kind: Layout.Kind?,
    _ before: RecordValue?,
    _ shapes: Shapes
  ) throws(Misfit) -> RecordValue {
    var old: [String: RecordValue] = [:]
    var order: [String: Int] = [:]
    if case .object(let before)? = before {
      for (index, member) in before.enumerated() {
        old[member.name] = member.value
        order[member.name] = index
      }
    }
    var fields = KindsInOrder(kind)
    var other: RecordValue?
    if case .record? = kind {} else { other = ofOneKind(old.values) }
    var stored: [Member] = []
    for member in members {
      let kind = fields.kind(of: member.name)
      do throws(Misfit) {
        let value = try member.value.stored(as: kind, like: old[member.name] ?? other, shapes)
        stored.append(Member(member.name, value))
      } catch {
        throw error.within(".\(member.name)")
      }
    }
    // The order of the members means nothing, so it stays.
    let places = stored.enumerated().map { (order[$1.name] ?? order.count + $0, $1) }
    return .object(.init(places.sorted { $0.0 < $1.0 }.map { $0.1 }))
  }

  private static func stored(
    _ elements: Elements,
    _ kind: Layout.Kind?,
    _ before: RecordValue?,
    _ shapes: Shapes
  ) throws(Misfit) -> RecordValue {
    var old: [RecordValue] = []
    if case .array(let before)? = before { old = Array(before) }
    var element: Layout.Kind?
    if case .array(of: let kind)? = kind { element = kind }
    let other = ofOneKind(old)
    var stored: [RecordValue] = []
    for (index, value) in elements.enumerated() {
      do throws(Misfit) {
        let before = old.indices.contains(index) ? old[index] : other
        stored.append(try value.stored(as: element, like: before, shapes))
      } catch {
        throw error.within("[\(index)]")
      }
    }
    return .array(.init(stored))
  }

  /// One of the values, if they have no parts and are of one kind.
  private static func ofOneKind(_ values: some Collection<RecordValue>) -> RecordValue? {
    guard let first = values.first, let scalar = first.scalar,
      values.allSatisfy({ $0.scalar == scalar })
    else { return nil }
    return first
  }
}

extension RecordValue {
  /// Whether JSON has a value as this one.
  package func isText(of value: RecordValue) -> Bool {
    do throws(Misfit) {
      return try stored(as: nil, like: value) == value
    } catch {
      return false
    }
  }

  /// Whether JSON and a kind say what the value is: read from its text as the kind, it is the same.
  ///
  /// Without a kind, JSON says so of truth values, texts, integers of 64 bits and doubles only. O(parts).
  package func isTold(by kind: Layout.Kind?) -> Bool {
    switch (self, kind) {
    case (.null, _): true
    case (.array(let elements), .array(of: let element)?):
      elements.allSatisfy { $0.isTold(by: element) }
    case (.array(let elements), .tagged?), (.array(let elements), .unknown?),
      (.array(let elements), nil):
      elements.allSatisfy { $0.isTold(by: nil) }
    case (.object(let members), .record?), (.object(let members), .tagged?),
      (.object(let members), .unknown?), (.object(let members), nil):
      Self.areTold(members, by: kind)
    case (_, .scalar(let scalar)?): self.scalar == scalar
    case (.array, _), (.object, _), (_, .array?), (_, .record?): false
    case (.bool, _), (.string, _), (.int(_, .bits64), _): true
    case (.uint(let number, .bits64), _): number > UInt64(Int64.max)
    case (.double(let number), _): number.isFinite
    default: false
    }
  }

  private static func areTold(_ members: Members, by kind: Layout.Kind?) -> Bool {
    var fields = KindsInOrder(kind)
    for member in members where !member.value.isTold(by: fields.kind(of: member.name)) {
      return false
    }
    return true
  }
}

extension Layout.Kind {
  /// The kind that holds a value as well: this one where the value fits, else any.
  package func including(_ value: RecordValue) -> Layout.Kind {
    switch (self, value) {
    case (.tagged, _), (_, .null): return self
    case (.unknown, .object): return .tagged
    case (.unknown, .array(let elements)):
      return .array(of: elements.reduce(.unknown) { $0.including($1) })
    case (.unknown, _): return value.scalar.map { .scalar($0) } ?? .tagged
    case (.array(of: let element), .array(let elements)):
      return .array(of: elements.reduce(element) { $0.including($1) })
    case (.record(let fields), .object(let members)):
      var fields = fields
      for member in members {
        guard let index = fields.firstIndex(where: { $0.name == member.name }) else { continue }
        fields[index].kind = fields[index].kind.including(member.value)
      }
      return .record(fields)
    case (.scalar(let scalar), _): return scalar.stored(value) == nil ? .tagged : self
    case (.array, _), (.record, _): return .tagged
    }
  }
}
