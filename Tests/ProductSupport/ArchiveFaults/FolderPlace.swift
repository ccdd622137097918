package import Foundation
package import StrataArchiving
import StrataBase
import StrataJournal
package import TestSupport

/// A ``FolderArchive`` of a fault run, whose file system has the time of the run.
package final class FolderPlace: ArchivePlace {
  private let folder: String
  private let copy: String

  package init(in directory: TemporaryDirectory) {
    folder = directory.path("archive")
    copy = directory.path("copy of the archive")
  }

  package func archive(of machine: Int) -> any Archive { direct() }

  package func direct() -> any Archive {
    FolderArchive(folder, on: .system, time: { Scheduling.date })
  }

  package func keepCopy() throws {
    guard FileManager.default.fileExists(atPath: "\(folder)/lock") else { return }
    try locked {
      if FileManager.default.fileExists(atPath: copy) {
        try FileManager.default.removeItem(atPath: copy)
      }
      try FileManager.default.copyItem(atPath: folder, toPath: copy)
    }
  }

  /// What is missing comes first, then the head, and what is too much goes last: as an archive changes itself, so that
  /// a reader beside it sees one history or the other.
  package func goBack() throws {
    guard FileManager.default.fileExists(atPath: "\(copy)/head") else { return }
    try locked {
      let (now, then) = (try files(of: folder), try files(of: copy))
      for file in then where file != "head" && file != "lock" {
        if now.contains(file) {
          // A snapshot or a segment of its name may be another one.
          try replace(file)
        } else {
          try bringBack(file, to: file)
        }
      }
      try replace("head")
      for file in now.subtracting(then) where file != "lock" {
        try FileManager.default.removeItem(atPath: "\(folder)/\(file)")
      }
    }
  }

  /// Copies a file, which is written now by the time of the run.
  private func bringBack(_ file: String, to name: String) throws {
    let path = "\(folder)/\(name)"
    try FileManager.default.copyItem(atPath: "\(copy)/\(file)", toPath: path)
    try FileManager.default.setAttributes([.modificationDate: Scheduling.date], ofItemAtPath: path)
  }

  private func replace(_ file: String) throws {
    try bringBack(file, to: "going back")
    guard rename("\(folder)/going back", "\(folder)/\(file)") == 0 else {
      throw CocoaError(.fileWriteUnknown)
    }
  }

  private func files(of folder: String) throws -> Set<String> {
    var files: Set<String> = []
    let all = FileManager.default.enumerator(atPath: folder)
    while let name = all?.nextObject() as? String {
      if all?.fileAttributes?[.type] as? FileAttributeType == .typeRegular { files.insert(name) }
    }
    return files
  }

  private func locked(_ body: () throws -> Void) throws {
    let lock = open("\(folder)/lock", O_RDWR)
    guard lock >= 0 else { throw CocoaError(.fileNoSuchFile) }
    defer { close(lock) }
    while flock(lock, LOCK_EX) != 0 {}
    try body()
  }

  package func holds(_ text: String) throws -> Bool {
    try files(of: folder).contains { file in
      let data = try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(file)"))
      return data.range(of: Data(text.utf8)) != nil
    }
  }

  /// The clock of a machine does not matter.
  package func moveClock(of machine: Int, by seconds: TimeInterval) {}

  package func setClocks() {}
}
