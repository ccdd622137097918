/// What a commit carries out: the name of a mutation, and its arguments as a value that can be encoded.
///
/// ```swift
/// struct Rename: Codable, Equatable { var id: User.ID; var name: String }
///
/// func rename(_ id: User.ID, to name: String) -> Mutation<Void> {
///   .mutation("rename", arguments: Rename(id: id, name: name)) { $0.users[id]?.name = name }
/// }
/// ```
///
/// The history then says not only which entities changed, but by what. The call is a note: nothing runs
/// it again.
public struct RecordedCall: Sendable {
  /// The name of the mutation.
  public let name: String
  /// Its arguments, if it has any: those of the program, or a stored form of them.
  package let values: (any RecordedArguments)?

  /// Creates the note of a call without arguments.
  public init(_ name: String) {
    self.name = name
    values = nil
  }

  /// Creates the note of a call.
  public init(_ name: String, arguments: some Codable & Equatable & Sendable) {
    self.name = name
    values = CallArguments(value: arguments)
  }

  /// Creates the note of a call that was read from a file.
  package init(_ name: String, stored: (any RecordedArguments)?) {
    self.name = name
    values = stored
  }

  /// The arguments as a value of a type; nil if the call has none.
  ///
  /// O(1) for those of a commit in memory, O(bytes) for those read from a file.
  ///
  /// Throws `DecodingError` when they are of another type.
  public func arguments<Value: Codable & Equatable & Sendable>(
    as type: Value.Type
  ) throws -> Value? {
    try values?.decode(type)
  }
}

extension RecordedCall: Equatable {
  /// Equal when the names are, and the arguments are equal values of one type.
  ///
  /// Arguments that were read from a file are compared as they are stored.
  public static func == (a: RecordedCall, b: RecordedCall) -> Bool {
    guard a.name == b.name else { return false }
    switch (a.values, b.values) {
    case (nil, nil): return true
    case (let a?, let b?): return a.isEqual(to: b)
    default: return false
    }
  }
}

extension RecordedCall: CustomStringConvertible {
  /// The call as a person reads it: `rename(Rename(name: "Ann"))`.
  public var description: String { values.map { "\(name)(\($0))" } ?? "\(name)()" }
}

extension RecordedCall: Encodable {
  private enum CodingKeys: CodingKey { case name, arguments }

  /// Encodes the name and the arguments.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    if let values { try values.encode(to: container.superEncoder(forKey: .arguments)) }
  }
}

/// The arguments of a call, in memory or as a file has them.
package protocol RecordedArguments: Encodable, Sendable, CustomStringConvertible {
  func decode<Value: Codable & Equatable & Sendable>(_ type: Value.Type) throws -> Value
  func isEqual(to other: any RecordedArguments) -> Bool
}

/// The arguments of a call of this program.
private struct CallArguments<Value: Codable & Equatable & Sendable>: RecordedArguments {
  let value: Value

  var description: String { "\(value)" }

  func encode(to encoder: any Encoder) throws { try value.encode(to: encoder) }

  func decode<Other: Codable & Equatable & Sendable>(_ type: Other.Type) throws -> Other {
    guard let value = value as? Other else {
      throw DecodingError.typeMismatch(
        type,
        .init(codingPath: [], debugDescription: "The arguments are a \(Value.self).")
      )
    }
    return value
  }

  func isEqual(to other: any RecordedArguments) -> Bool {
    (other as? CallArguments<Value>)?.value == value
  }
}
