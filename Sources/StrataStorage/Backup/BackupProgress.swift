/// How far a backup is.
public struct BackupProgress: Sendable, Equatable {
  /// How many pages of 4 KB are copied.
  public let copiedPages: Int
  /// How many there are; it may grow meanwhile.
  public let pages: Int
}
