import StrataCore

/// The places of commits as text, each put together once: a program commits from few places, often.
struct PlaceNames {
  /// Where the compiler keeps the parts of a place: the same text has the same address.
  private struct Key: Hashable {
    let file: UnsafePointer<UInt8>
    let function: UnsafePointer<UInt8>
    let line: UInt
  }

  private var names: [Key: String] = [:]

  /// The place as a delta tells it.
  ///
  /// O(1) for a place seen before.
  mutating func name(of trace: CommitTrace) -> String {
    guard trace.fileID.hasPointerRepresentation, trace.function.hasPointerRepresentation else {
      return trace.place
    }
    let key = Key(
      file: trace.fileID.utf8Start,
      function: trace.function.utf8Start,
      line: trace.line
    )
    if let name = names[key] { return name }
    names[key] = trace.place
    return trace.place
  }
}
