public import Foundation
public import StrataBase

/// Who made a commit: the name it was given, the place in the source that called it, and its context.
///
/// Encoded as an object with the keys `name`, `file`, `function` and `line`, and `context` if it has one.
public struct CommitTrace: Sendable, Equatable, CustomStringConvertible {
  /// The name given to `commit("name") { … }`; empty when none was.
  public let name: String
  /// The place of the call; empty for a commit of another process.
  @usableFromInline package let source: CommitPlace
  @usableFromInline let carried: CarriedContext?
  /// What a commit was that is made again here; nil for a commit of this process.
  @usableFromInline let recorded: RecordedCommit?

  /// The module and file, as in `#fileID`: no path of the machine it was built on.
  public var fileID: StaticString { source.fileID }
  /// The function that called `commit`.
  public var function: StaticString { source.function }
  /// The line of the call.
  public var line: UInt { source.line }

  /// Who wanted the commit and why; nil if that is not known, and for an action.
  public var context: CommitContext? { carried?.context }

  /// Creates a trace.
  public init(
    name: String,
    fileID: StaticString,
    function: StaticString,
    line: UInt,
    context: CommitContext? = nil
  ) {
    self.init(name, CommitPlace(fileID, function, line), context.map { CarriedContext($0) })
  }

  /// Creates the trace of a commit that another process made, and that is made again here.
  package init(following name: String, place: String, time: Date, context: CommitContext?) {
    let carried = context.map { CarriedContext($0) }
    self.init(name, CommitPlace("", "", 0), carried, RecordedCommit(place: place, time: time))
  }

  /// Creates the trace of a commit that is made here: its context is completed by that of the task.
  package init(
    ofCommit name: String,
    _ context: CommitContext?,
    fileID: StaticString,
    function: StaticString,
    line: UInt
  ) {
    self.init(ofCommit: name, context, at: CommitPlace(fileID, function, line))
  }

  /// The same.
  @usableFromInline
  package init(ofCommit name: String, _ context: CommitContext?, at source: CommitPlace) {
    self.init(name, source, .ofCommit(context))
  }

  private init(
    _ name: String,
    _ source: CommitPlace,
    _ carried: CarriedContext?,
    _ recorded: RecordedCommit? = nil
  ) {
    self.name = name
    self.source = source
    self.carried = carried
    self.recorded = recorded
  }

  /// The trace of a commit of this mutation that is made here.
  func ofCommit(calling call: RecordedCall?) -> CommitTrace {
    CommitTrace(ofCommit: name, call.map { CommitContext(call: $0) }, at: source)
  }

  /// `Module/File.swift:12 function()`.
  public var place: String { recorded?.place ?? "\(source)" }

  /// When the commit was made, for one of another process that a follower has made again; nil for others.
  public var time: Date? { recorded?.time }

  /// The name, if any, and the place.
  public var description: String { name.isEmpty ? place : "\(name) (\(place))" }

  /// Equal when name, place and context are.
  public static func == (a: CommitTrace, b: CommitTrace) -> Bool {
    a.name == b.name && a.source == b.source && a.context == b.context
      && a.recorded?.place == b.recorded?.place && a.time == b.time
  }
}

extension CommitTrace: Encodable {
  private enum CodingKeys: CodingKey { case name, file, function, line, place, time, context }

  /// Encodes name, place and context; of a commit of another process also its time.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(name, forKey: .name)
    if let recorded {
      try container.encode(recorded.place, forKey: .place)
      try container.encode(recorded.time, forKey: .time)
      try container.encodeIfPresent(context, forKey: .context)
      return
    }
    try container.encode("\(fileID)", forKey: .file)
    try container.encode("\(function)", forKey: .function)
    try container.encode(line, forKey: .line)
    try container.encodeIfPresent(context, forKey: .context)
  }
}

/// Who created an action: the name it was given and the place in the source.
public typealias ActionMetadata = CommitTrace

/// Where and when another process made a commit: one word in a trace.
@usableFromInline
final class RecordedCommit: Sendable {
  let place: String
  let time: Date

  init(place: String, time: Date) {
    self.place = place
    self.time = time
  }
}
