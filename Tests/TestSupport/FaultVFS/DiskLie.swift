/// What a disk does wrong without saying so: no program can make up for it, so a checker must notice.
package enum DiskLie: String, CaseIterable, Sendable {
  /// A sync succeeds and moves nothing to the medium.
  case forgetsSyncs
  /// A write succeeds and writes nothing.
  case losesWrites
  /// A write goes to the next page.
  case misdirectsWrites
  /// A write changes one bit.
  case flipsBits
}
