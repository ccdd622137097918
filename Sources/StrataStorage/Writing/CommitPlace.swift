/// The source location of a commit.
package struct CommitPlace: Sendable {
  package let fileID: StaticString
  package let function: StaticString
  package let line: UInt

  package init(
    fileID: StaticString = #fileID,
    function: StaticString = #function,
    line: UInt = #line
  ) {
    self.fileID = fileID
    self.function = function
    self.line = line
  }

  /// `Module/File.swift:12 function()`.
  var text: String { "\(fileID):\(line) \(function)" }
}

/// The places of commits as text, each formatted once, because a program commits from few places.
struct PlaceCache {
  /// The addresses of the literals of a place: the compiler stores each once.
  private struct Key: Hashable {
    let file: UnsafePointer<UInt8>
    let function: UnsafePointer<UInt8>
    let line: UInt
  }

  private var texts: [Key: String] = [:]

  /// The place as a delta states it.
  ///
  /// O(1) for a place seen before.
  mutating func text(of place: CommitPlace) -> String {
    guard place.fileID.hasPointerRepresentation, place.function.hasPointerRepresentation else {
      return place.text
    }
    let key = Key(
      file: place.fileID.utf8Start,
      function: place.function.utf8Start,
      line: place.line
    )
    if let text = texts[key] { return text }
    texts[key] = place.text
    return place.text
  }
}
