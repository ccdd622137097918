package import Foundation
import StrataBase
import StrataJournal

/// A file that leads a browser to the address of a page.
///
/// The address has the secret of the page, and every user of a machine sees the arguments of every program. So the browser
/// is started with the path of this file, which only its user can read.
package struct PageLink: Sendable {
  /// The path of the file, alone in a directory of its own.
  package let path: String

  /// The directory of the file.
  private let directory: String

  /// Creates the file with the mode 0600, in a directory that only its user can enter.
  ///
  /// - Throws: `SystemError`.
  package init(to address: URL, in folder: String = TemporaryFolder.path) throws {
    directory = "\(folder)/strata-page-\(Scheduling.uuid().uuidString)"
    path = "\(directory)/page.html"
    try Disk.system.makeDirectory(directory, like: nil)
    do {
      let file = try Disk.system.create(path, like: nil)
      try file.write(Array(Self.text(to: address.absoluteString).utf8), at: 0)
    } catch {
      remove()
      throw error
    }
  }

  /// Removes the file and its directory, as far as they are there.
  package func remove() {
    unlink(path)
    rmdir(directory)
  }

  /// A page that goes on to an address of hexadecimal digits, slashes and a port, which HTML takes as they are.
  private static func text(to address: String) -> String {
    """
    <!doctype html>
    <meta charset="utf-8">
    <meta name="referrer" content="no-referrer">
    <meta http-equiv="refresh" content="0; url=\(address)">
    <title>strata</title>
    <p><a href="\(address)">The page of the store</a></p>

    """
  }
}
