package import Foundation
import StrataBase

/// Whose a new file is: its user, its group, and what others may do with it.
///
/// A store belongs to the program that has it open. Another user may write to it too, as a rule `root`, with the command. What
/// that leaves beside the store, or in its place, has to be the program's, or the program cannot open its store any more. So a
/// file beside a store is made with the owner, the group and the mode of the store, and one in an archive with those of the
/// folder. SQLite does the same for its own files (`findCreateFileMode` and `robustFchown` in `os_unix.c`).
///
/// Only `root` may give a file to another user, and others only to a group that they are in. Where that is not allowed, the
/// file stays this process's, others may do no more with it than with the store, and a ``Notice`` says so.
package struct FileOwner: Equatable, Sendable {
  package let user: uid_t
  package let group: gid_t
  /// Who may read and write; a directory may be entered by who may read.
  package let permissions: mode_t

  private init(_ status: stat) {
    user = status.st_uid
    group = status.st_gid
    // The owner writes to what is beside a file even if that may only be read.
    permissions = (status.st_mode & 0o666) | 0o600
  }

  /// That of a regular file; nil if there is none at the path.
  package init?(ofFileAt path: String) {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    self.init(status)
  }

  /// That of files in a directory; nil if there is none at the path.
  package init?(ofFolderAt path: String) {
    var status = stat()
    guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else { return nil }
    self.init(status)
  }

  /// The mode of a directory.
  private var folderPermissions: mode_t { permissions | (permissions & 0o444) >> 2 }

  /// The permissions for a file of another group: that group may do what everybody may.
  private static func withoutGroup(_ mode: mode_t) -> mode_t {
    (mode & ~0o070) | (mode & 0o070 & (mode & 0o007) << 3)
  }

  /// Gives a file to the owner, as far as this process may.
  ///
  /// Until then only the user of this process can open it.
  func claim(_ file: borrowing OpenFile) {
    var status = stat()
    guard fstat(file.descriptor, &status) == 0 else { return }
    if status.st_uid != user || status.st_gid != group,
      fchown(file.descriptor, user, group) != 0, status.st_gid != group
    {
      _ = fchown(file.descriptor, uid_t.max, group)
    }
    guard fstat(file.descriptor, &status) == 0 else { return }
    let isFolder = status.st_mode & S_IFMT == S_IFDIR
    let mode = isFolder ? folderPermissions : permissions
    let allowed = status.st_gid == group ? mode : Self.withoutGroup(mode)
    if status.st_mode & 0o777 != allowed { _ = fchmod(file.descriptor, allowed) }
    if status.st_uid != user || status.st_gid != group {
      Notice.report(
        "\(file.path) belongs to \(status.st_uid):\(status.st_gid), and should to \(self): chown \(self) \(file.path)"
      )
    }
  }

  /// Gives what is there of some files to the owner.
  ///
  /// Not for SQLite's files of a store that this process has open, whose locks would be lost.
  package func claim(_ paths: [String], on disk: Disk) throws(SystemError) {
    for path in paths {
      guard let own = FileOwner(ofFileAt: path), own != self else { continue }
      claim(try disk.open(path, O_RDONLY))
    }
  }
}

extension FileOwner: CustomStringConvertible {
  /// `1000:1000`, as `chown` reads it.
  package var description: String { "\(user):\(group)" }
}

/// Every file and directory that is not SQLite's is made here.
extension Disk {
  /// Makes a file for an owner; for this process's user where there is none to go by.
  ///
  /// Throws if the name is taken.
  package func create(
    _ path: String,
    like owner: FileOwner?,
    _ flags: Int32 = O_RDWR
  ) throws(SystemError) -> OpenFile {
    let file = try OpenFile(path, flags | O_CREAT | O_EXCL, on: self)
    owner?.claim(file)
    return file
  }

  /// Opens a file, or makes it.
  package func openOrCreate(
    _ path: String,
    like owner: @autoclosure () -> FileOwner?
  ) throws(SystemError) -> OpenFile {
    while true {
      do {
        if FileIdentity.exists(path) { return try open(path, O_RDWR) }
      } catch {
        // It was removed meanwhile.
        guard error.code == ENOENT, !FileIdentity.exists(path) else { throw error }
      }
      do {
        return try create(path, like: owner())
      } catch {
        // Another process has made it meanwhile.
        guard error.code == EEXIST, FileIdentity.exists(path) else { throw error }
      }
    }
  }

  /// Makes a directory for an owner, which only its user can enter until then.
  package func makeDirectory(_ path: String, like owner: FileOwner?) throws(SystemError) {
    try perform(.makeDirectory(path)) { Int(mkdir(path, 0o700)) }
    guard let owner else { return }
    owner.claim(try OpenFile(path, O_RDONLY, expecting: .fileOrDirectory, on: self))
  }
}

extension StorePath {
  /// The owner of the store, or of what is left beside one that is gone; nil if nothing is there.
  package var owner: FileOwner? {
    for path in [file, head, lock, wal, shm] {
      if let owner = FileOwner(ofFileAt: path) { return owner }
    }
    return nil
  }

  /// Gives the group of the store to SQLite's files beside it, which SQLite does only for `root`.
  ///
  /// By their names: closing a descriptor of such a file would drop SQLite's locks on it.
  package func shareSQLiteFiles() {
    guard geteuid() != 0, let owner = FileOwner(ofFileAt: file) else { return }
    for path in [wal, shm] {
      guard let own = FileOwner(ofFileAt: path), own.group != owner.group else { continue }
      if lchown(path, uid_t.max, owner.group) != 0 {
        Notice.report("\(path) belongs to \(own), and should to \(owner): chown \(owner) \(path)")
      }
    }
  }
}
