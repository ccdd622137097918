/// The place in the source that made a commit.
@usableFromInline
package struct CommitPlace: Sendable {
  /// The module and file, as in `#fileID`.
  @usableFromInline package let fileID: StaticString
  /// The function that called `commit`.
  @usableFromInline package let function: StaticString
  /// The line of the call.
  @usableFromInline package let line: UInt

  /// Creates a place; that of the caller if none is given.
  @inlinable
  package init(
    _ fileID: StaticString = #fileID,
    _ function: StaticString = #function,
    _ line: UInt = #line
  ) {
    self.fileID = fileID
    self.function = function
    self.line = line
  }
}

extension CommitPlace: Equatable, CustomStringConvertible {
  /// `Module/File.swift:12 function()`.
  @usableFromInline package var description: String { "\(fileID):\(line) \(function)" }

  /// Equal when the texts are.
  @usableFromInline
  package static func == (a: CommitPlace, b: CommitPlace) -> Bool {
    a.line == b.line && "\(a.fileID)" == "\(b.fileID)" && "\(a.function)" == "\(b.function)"
  }
}

/// The places of commits as text, each formatted once, because a program commits from few places.
package struct PlaceCache {
  /// The addresses of the literals of a place: the compiler stores each once.
  private struct Key: Hashable {
    let file: UnsafePointer<UInt8>
    let function: UnsafePointer<UInt8>
    let line: UInt
  }

  private var texts: [Key: String] = [:]

  /// Creates a cache without texts.
  package init() {}

  /// The place as a delta states it.
  ///
  /// O(1) for a place seen before.
  package mutating func text(of place: CommitPlace) -> String {
    guard place.fileID.hasPointerRepresentation, place.function.hasPointerRepresentation else {
      return place.description
    }
    let key = Key(
      file: place.fileID.utf8Start,
      function: place.function.utf8Start,
      line: place.line
    )
    if let text = texts[key] { return text }
    texts[key] = place.description
    return place.description
  }
}
