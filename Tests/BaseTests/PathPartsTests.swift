import Foundation
import StrataBase
import TestSupport
import Testing

/// What a path consists of, by its text alone.
struct PathPartsTests {
  @Test(
    arguments: [
      ("x", ".", "x"), ("é", ".", "é"), (".", ".", "."), ("/", "/", ""), ("", ".", ""),
      ("x/", ".", "x"), ("./", ".", "."), ("-", ".", "-"), ("..", ".", ".."), ("//", "/", ""),
      ("/x", "/", "x"), ("//x", "/", "x"), ("a/x", "a", "x"), ("a//x//", "a", "x"),
      ("/a/b.c", "/a", "b.c"), ("./x", ".", "x"),
    ]
  )
  func `the directory and the name`(path: String, directory: String, name: String) {
    let parts = PathParts(path)
    #expect(parts.directory == directory)
    #expect(parts.name == name)
  }

  @Test
  func `every path has the parts that dirname finds, and its last name`() {
    var random = SeededGenerator(seed: randomSeed())
    let pieces = ["/", "/", "a", "é", ".", "..", "-", "x.y", " "]
    for _ in 0..<1_000 {
      let count = Int.random(in: 1...6, using: &random)
      let path = (0..<count).map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
      let parts = PathParts(path)
      #expect(parts.directory == Self.directoryName(of: path), "\(path), \(random)")
      let name = path.split(separator: "/").last ?? ""
      #expect(parts.name == name, "\(path), \(random)")
    }
  }

  /// What `dirname` returns, which may write to its argument.
  private static func directoryName(of path: String) -> String {
    var bytes = path.utf8CString.map { $0 }
    return bytes.withUnsafeMutableBufferPointer { buffer in
      let name = dirname(buffer.baseAddress).map { String(cString: $0) } ?? ""
      // What two slashes at the start mean is left to the system, and on all of these it is the root.
      return name == "//" ? "/" : name
    }
  }

  @Test(
    arguments: [
      ("people.csv", "csv", "people"), ("a.b/c", "", "c"), ("a.tar.gz", "gz", "a.tar"),
      (".hidden", "", ".hidden"), ("x.", "", "x."), ("x", "", "x"), ("", "", ""),
      ("-", "", "-"), ("a.strata/", "strata", "a"),
    ]
  )
  func `the ending of a name, and the name without it`(path: String, ending: String, stem: String) {
    let parts = PathParts(path)
    #expect(parts.ending == ending)
    #expect(parts.stem == stem)
  }

  @Test
  func `a name in a directory`() {
    #expect(PathParts.path(of: "x", in: ".") == "x")
    #expect(PathParts.path(of: "x", in: "/") == "/x")
    #expect(PathParts.path(of: "x", in: "a/b") == "a/b/x")
    #expect(PathParts.path(of: "x", in: "a/") == "a/x")
  }
}
