import CStrataSQLite

/// An open file: the real file and what the callbacks need.
///
/// SQLite allocates `sqlite3_vfs.szOsFile` bytes and passes their address to each callback:
///
///     0   the methods (the only part that SQLite reads)
///     8   an owning reference to the `FaultFile`
///     16  the real file
final class FaultFile {
  static let referenceOffset = MemoryLayout<sqlite3_file>.stride
  static let realOffset = referenceOffset + MemoryLayout<UnsafeMutableRawPointer?>.stride

  let vfs: FaultVFS
  let kind: FileKind
  /// Nil for a file that is not tracked: one without a name, or not of a database.
  let path: String?
  let real: UnsafeMutablePointer<sqlite3_file>

  init(vfs: FaultVFS, kind: FileKind, path: String?, real: UnsafeMutablePointer<sqlite3_file>) {
    self.vfs = vfs
    self.kind = kind
    self.path = path
    self.real = real
  }

  /// The file at an address of SQLite, while it is open.
  static func at(_ file: UnsafeMutablePointer<sqlite3_file>?) -> FaultFile? {
    guard let file else { return nil }
    let raw = UnsafeMutableRawPointer(file)
    return raw.load(fromByteOffset: referenceOffset, as: UnsafeMutableRawPointer?.self)
      .map { Unmanaged<FaultFile>.fromOpaque($0).takeUnretainedValue() }
  }

  static func real(in file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<
    sqlite3_file
  > {
    (UnsafeMutableRawPointer(file) + realOffset).assumingMemoryBound(to: sqlite3_file.self)
  }

  /// Stores an owning reference at the address.
  func install(in file: UnsafeMutablePointer<sqlite3_file>) {
    let reference: UnsafeMutableRawPointer? = Unmanaged.passRetained(self).toOpaque()
    UnsafeMutableRawPointer(file)
      .storeBytes(of: reference, toByteOffset: Self.referenceOffset, as: type(of: reference))
    file.pointee.pMethods = UnsafePointer(vfs.fileMethods)
  }

  /// Removes the owning reference.
  static func uninstall(from file: UnsafeMutablePointer<sqlite3_file>) {
    let raw = UnsafeMutableRawPointer(file)
    if let reference = raw.load(
      fromByteOffset: referenceOffset,
      as: UnsafeMutableRawPointer?.self
    ) {
      Unmanaged<FaultFile>.fromOpaque(reference).release()
    }
    let none: UnsafeMutableRawPointer? = nil
    raw.storeBytes(of: none, toByteOffset: referenceOffset, as: type(of: none))
  }

  /// All bytes of the real file.
  func content() -> [UInt8] {
    guard let methods = real.pointee.pMethods?.pointee, let read = methods.xRead else { return [] }
    var size: sqlite3_int64 = 0
    _ = methods.xFileSize?(real, &size)
    guard size > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: Int(size)) { buffer, count in
      let status = read(real, buffer.baseAddress, Int32(size), 0)
      count = status == SQLITE_OK ? Int(size) : 0
    }
  }
}
