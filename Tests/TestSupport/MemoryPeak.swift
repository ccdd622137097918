import Foundation

/// Measures the peak memory of this process during an action, beyond its memory before.
///
/// Only Linux reports the peak since a point in time: `proc(5)`, `clear_refs` and `VmHWM`.
package enum MemoryPeak {
  /// The peak in bytes; nil if the system does not report it.
  package static func beyondNow(
    isolation: isolated (any Actor)? = #isolation,
    _ action: () async throws -> Void
  ) async throws -> Int? {
    let reset = FileHandle(forWritingAtPath: "/proc/self/clear_refs")
    try reset?.write(contentsOf: Data("5".utf8))
    try reset?.close()
    let before = kilobytes("VmRSS:")
    try await action()
    guard reset != nil, let before, let peak = kilobytes("VmHWM:") else { return nil }
    return (peak - before) << 10
  }

  private static func kilobytes(_ field: String) -> Int? {
    guard let file = FileHandle(forReadingAtPath: "/proc/self/status") else { return nil }
    let text = String(decoding: file.readDataToEndOfFile(), as: UTF8.self)
    let line = text.split(separator: "\n").first { $0.hasPrefix(field) }
    return line.flatMap { Int($0.dropFirst(field.count).filter(\.isNumber)) }
  }
}
