package import Foundation
import StrataBase

/// Identifies the current boot of the machine: what was written but not synced survives only within
/// one boot.
package enum BootID {
  /// The kernel's ID of this boot, or a random one if it has none, which never matches.
  package static func current() -> UUID {
    #if canImport(Darwin)
      var size = 0
      guard sysctlbyname("kern.bootsessionuuid", nil, &size, nil, 0) == 0, size > 0 else {
        return Scheduling.uuid()
      }
      var text = [CChar](repeating: 0, count: size)
      guard sysctlbyname("kern.bootsessionuuid", &text, &size, nil, 0) == 0 else {
        return Scheduling.uuid()
      }
      let bytes = text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:))
      return UUID(uuidString: String(decoding: bytes, as: UTF8.self)) ?? Scheduling.uuid()
    #else
      let path = "/proc/sys/kernel/random/boot_id"
      guard let file = try? OpenFile(path, O_RDONLY), let bytes = try? file.read(64, at: 0) else {
        return Scheduling.uuid()
      }
      let text = String(decoding: bytes, as: UTF8.self)
      return UUID(uuidString: text.trimmingCharacters(in: .whitespacesAndNewlines))
        ?? Scheduling.uuid()
    #endif
  }
}
