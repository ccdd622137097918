import Foundation
import StrataBase
import StrataCLI
import TestSupport
import Testing

/// The file that `strata serve --open` gives the browser in place of the address.
struct PageLinkTests {
  private static let address = "http://127.0.0.1:4711/t/0123456789abcdef0123456789abcdef/"

  @Test func `it leads to the address, and only its user can read it`() throws {
    let directory = try TemporaryDirectory()
    let address = try #require(URL(string: Self.address))
    let link = try PageLink(to: address, in: directory.url.path)
    let text = try String(contentsOfFile: link.path, encoding: .utf8)
    #expect(text.contains("content=\"0; url=\(Self.address)\""))
    #expect(!link.path.contains("0123456789abcdef"))
    func mode(_ path: String) throws -> Int? {
      let attributes = try FileManager.default.attributesOfItem(atPath: path)
      return (attributes[.posixPermissions] as? NSNumber)?.intValue
    }
    #expect(try mode(link.path) == 0o600)
    let folder = PathParts(link.path).directory
    #expect(try mode(folder) == 0o700)
    link.remove()
    #expect(!FileManager.default.fileExists(atPath: folder))
  }

  @Test func `each page has a file of its own, and a folder that is missing is named`() throws {
    let directory = try TemporaryDirectory()
    let address = try #require(URL(string: Self.address))
    let links = try (0..<2).map { _ in try PageLink(to: address, in: directory.url.path) }
    #expect(links[0].path != links[1].path)
    for link in links { link.remove() }
    let missing = directory.path("missing")
    let error = #expect(throws: (any Error).self) { try PageLink(to: address, in: missing) }
    #expect("\(error.map { "\($0)" } ?? "")".contains(missing))
  }
}
