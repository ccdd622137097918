import Foundation
import StrataRecords

/// The bytes of an entity's ID.
enum IDInput {
  static func check(_ bytes: [UInt8]) {
    guard let value = try? EncodedID.value(of: bytes) else { return }
    let canonical = EncodedID.bytes(of: value)
    guard let again = try? EncodedID.value(of: canonical) else {
      return require(false, "the bytes of an ID can be read")
    }
    require(EncodedID.bytes(of: again) == canonical, "equal IDs have equal bytes")
    _ = try? EncodedID.decode(String.self, from: bytes)
    _ = try? EncodedID.decode(Int.self, from: bytes)
    _ = try? EncodedID.decode(UUID.self, from: bytes)
    _ = try? EncodedID.decode(Samples.Pair.self, from: bytes)
    if case .string(let text) = value { _ = EncodedID.candidates(for: text) }
  }

  static func seeds() throws -> [[UInt8]] {
    [
      try EncodedID.bytes(of: -7), try EncodedID.bytes(of: UInt64.max),
      try EncodedID.bytes(of: "Zürich"), try EncodedID.bytes(of: UUID()),
      try EncodedID.bytes(of: Samples.Pair(left: "a", right: nil)),
      try EncodedID.bytes(of: ["x": 1.5]),
    ]
  }
}
