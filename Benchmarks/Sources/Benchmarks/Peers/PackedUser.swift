import Foundation

/// A user as bytes, its fields one after another: a format for this one type.
enum PackedUser {
  static func bytes(of user: PlainUser) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(160)
    append(user.id, to: &bytes)
    append(user.name, to: &bytes)
    append(user.email, to: &bytes)
    append(Int64(user.age), to: &bytes)
    append(Int64(bitPattern: user.score.bitPattern), to: &bytes)
    bytes.append(user.isActive ? 1 : 0)
    let time = user.createdAt.timeIntervalSinceReferenceDate
    append(Int64(bitPattern: time.bitPattern), to: &bytes)
    bytes.append(UInt8(user.tags.count))
    for tag in user.tags { append(tag, to: &bytes) }
    append(user.address.street, to: &bytes)
    append(user.address.city, to: &bytes)
    append(user.address.zip, to: &bytes)
    return bytes
  }

  private static func append(_ number: Int64, to bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  private static func append(_ text: String, to bytes: inout [UInt8]) {
    bytes.append(UInt8(text.utf8.count))
    bytes.append(contentsOf: text.utf8)
  }
}
