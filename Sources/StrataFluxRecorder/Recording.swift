import Foundation
import StrataBase
import StrataFlux
import StrataRecords

/// An exported recording.
///
/// A file is the line `strata recording 4 <checksum of the rest>` and this value as a record beside its layout, so that it
/// has the name of each member once. Only the base has whole states; an entry has differences, see
/// ``EncodedState``.
struct Recording: Codable {
  struct Entry: Codable {
    let id: Int
    let time: Date
    /// In nanoseconds.
    let duration: Int64
    let place: Int
    let isSkipped: Bool
    /// The stores that respond to the action.
    var recipients: [String] = []
    /// The value of the action; nil for a commit and a pause.
    var action: Data?
    /// The name of a commit.
    var commit: Int?
    var parts: [Part] = []
  }

  struct Part: Codable {
    let part: RecorderEntry.Part
    let recorded: Outcome
    /// Nil if it is the recorded one.
    let shown: Outcome?
  }

  struct Outcome: Codable {
    /// From the recorded state before it, or to what is shown from the recorded one; nil if the step did not
    /// change the store.
    var difference: Data?
    /// The description of the error, or of the one of the dependency that failed.
    let failure: String?
    let isOfDependency: Bool

    init(_ error: (any Error)?) {
      var cause = error
      if case .dependencyFailed(let first)? = error as? OperationError { cause = first }
      failure = cause.map { "\($0)" }
      isOfDependency = RecorderEntry.Outcome(failure: error).isOfDependency
    }

    var error: (any Error)? {
      let error = failure.map { RecorderError.recorded($0) }
      return isOfDependency ? error.map { OperationError.dependencyFailed($0) } : error
    }
  }

  var position = 0
  /// The states as records beside their layouts.
  var base: [String: Data] = [:]
  var partialBase: Set<String> = []
  /// The places and the names of commits, to which entries refer by number.
  var texts: [String] = []
  var entries: [Entry] = []

  func text(_ number: Int) -> String { texts.indices.contains(number) ? texts[number] : "" }

  mutating func number(of text: String) -> Int {
    if let number = texts.firstIndex(of: text) { return number }
    texts.append(text)
    return texts.count - 1
  }
}

extension Recording {
  private static let title = "strata recording 4 "

  init(_ data: Data) throws {
    let end = data.prefix(200).firstIndex(of: 0x0A) ?? data.startIndex
    let line = String(decoding: data[..<end], as: UTF8.self)
    guard line.hasPrefix(Self.title) else {
      throw RecorderError.unreadable("It does not begin with \"\(Self.title)\".")
    }
    let content = data[end...].dropFirst()
    let (stored, computed) = (line.dropFirst(Self.title.count), "\(Checksum(of: [UInt8](content)))")
    if stored != computed {
      throw RecorderError.checksumMismatch(stored: String(stored), computed: computed)
    }
    self = try Self.value(as: Recording.self, of: content)
  }

  /// The content of a file.
  func data() throws -> Data {
    let content = try Self.record(of: self)
    return Data("\(Self.title)\(Checksum(of: [UInt8](content)))\n".utf8) + content
  }

  /// A value as a record of its own, with the layout that the record has.
  static func record(of value: some Encodable) throws -> Data {
    var (writer, bytes) = (RecordWriter(), [UInt8]())
    let layout = try writer.encode(value, into: &bytes)
    return Data(try TaggedValue.bytes(of: [Data(layout.body), Data(bytes)]))
  }

  static func value<Value: Decodable>(as type: Value.Type, of record: Data) throws -> Value {
    let parts = try TaggedValue.decode([Data].self, from: [UInt8](record))
    guard parts.count == 2 else { throw RecorderError.unreadable("A record lacks its layout.") }
    let layout = try Layout(body: [UInt8](parts[0]))
    return try RecordReader(layout: layout).decode(type, from: [UInt8](parts[1])[...])
  }
}
