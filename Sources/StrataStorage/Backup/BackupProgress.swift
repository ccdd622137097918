/// The progress of a backup.
public struct BackupProgress: Sendable, Equatable {
  /// How many pages of 4 KB are copied.
  public let copiedPages: Int
  /// How many there are; it may grow during the backup.
  public let pages: Int
}
