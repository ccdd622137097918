/// Who made a commit: the name it was given and the place in the source that called it.
///
/// Encoded as an object with the keys `name`, `file`, `function` and `line`.
public struct CommitTrace: Sendable, Equatable, CustomStringConvertible {
  /// The name given to `commit("name") { … }`; empty when none was.
  public let name: String
  /// The module and file, as in `#fileID`: no path of the machine it was built on.
  public let fileID: StaticString
  /// The function that called `commit`.
  public let function: StaticString
  /// The line of the call.
  public let line: UInt

  /// Creates a trace.
  public init(name: String, fileID: StaticString, function: StaticString, line: UInt) {
    self.name = name
    self.fileID = fileID
    self.function = function
    self.line = line
  }

  /// `Module/File.swift:12 function()`.
  public var place: String { "\(fileID):\(line) \(function)" }

  /// The name, if any, and the place.
  public var description: String { name.isEmpty ? place : "\(name) (\(place))" }

  /// Equal when name and place are.
  public static func == (a: CommitTrace, b: CommitTrace) -> Bool {
    a.name == b.name && a.line == b.line && "\(a.fileID)" == "\(b.fileID)"
      && "\(a.function)" == "\(b.function)"
  }
}

extension CommitTrace: Encodable {
  private enum CodingKeys: CodingKey { case name, file, function, line }

  /// Encodes name and place.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    try container.encode("\(fileID)", forKey: .file)
    try container.encode("\(function)", forKey: .function)
    try container.encode(line, forKey: .line)
  }
}
