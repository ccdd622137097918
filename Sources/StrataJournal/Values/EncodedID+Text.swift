import Foundation
import StrataRecords

extension EncodedID {
  /// The ID as a person writes it; its bytes in hexadecimal digits where they are not an ID.
  package static func text(of bytes: ArraySlice<UInt8>) -> String {
    guard let value = try? value(of: Array(bytes)) else {
      return "0x" + bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
    switch value {
    case .string(let text): return text
    case .int(let number, _): return "\(number)"
    case .uint(let number, _): return "\(number)"
    case .uuid(let uuid): return uuid.uuidString
    default: return value.json()
    }
  }
}
