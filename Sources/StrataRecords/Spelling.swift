internal import Foundation
import StrataBase

/// How values that Swift holds equal are stored: texts that are composed differently, zeros of either sign.
package enum Spelling: Sendable {
  /// With the bytes that they have.
  case asGiven
  /// With the same bytes, because they are one identity: texts in Unicode's composed form (NFC), zeros
  /// without a sign.
  case composed
}

extension String {
  /// The text in Unicode's composed form (NFC); O(bytes), without a copy for ASCII.
  package var composed: String {
    var text = self
    let isASCII = text.withUTF8 { UnsafeRawBufferPointer($0).isASCII }
    return isASCII ? text : text.precomposedStringWithCanonicalMapping
  }
}

extension UnsafeRawBufferPointer {
  /// How the UTF-8 of two texts compares as bytes: below, at or above 0.
  package func compared(to other: UnsafeRawBufferPointer, _ spelling: Spelling) -> Int32 {
    if spelling == .asGiven || isASCII && other.isASCII {
      return precedes(other) ? -1 : isEqual(to: other) ? 0 : 1
    }
    var (text, second) = (
      String(decoding: self, as: UTF8.self).composed,
      String(decoding: other, as: UTF8.self).composed
    )
    return text.withUTF8 { text in
      second.withUTF8 {
        UnsafeRawBufferPointer(text).compared(to: UnsafeRawBufferPointer($0), .asGiven)
      }
    }
  }
}

extension RecordValue {
  /// The value that is stored for all values that Swift holds equal to this one.
  package var composed: RecordValue {
    switch self {
    case .string(let text): .string(text.composed)
    case .double(0): .double(0)
    case .float(0): .float(0)
    case .date(let date) where date.timeIntervalSinceReferenceDate == 0:
      .date(Date(timeIntervalSinceReferenceDate: 0))
    case .array(let elements): .array(.init(elements.map(\.composed)))
    case .object(let members):
      .object(
        .init(
          members.map { .init($0.name.composed, $0.value.composed) }.inOrder {
            $0.name.utf8.lexicographicallyPrecedes($1.name.utf8)
          }
        )
      )
    default: self
    }
  }

  /// The value of a field, with what refers to other entities as their IDs are stored.
  ///
  /// A file may have references that were stored as they were given.
  package func composed(at references: ReferencedTables) -> RecordValue {
    switch (references, self) {
    case (.table, _): composed
    case (.elements(let part), .array(let elements)):
      .array(.init(elements.map { $0.composed(at: part) }))
    case (.dictionary(let keys, let values), .array(let parts)):
      .array(
        .init(
          parts.enumerated().map { index, part in
            (index.isMultiple(of: 2) ? keys : values).map(part.composed(at:)) ?? part
          }
        )
      )
    case (.dictionary(let keys, let values), .object(let members)):
      .object(
        .init(
          members.map { member in
            .init(
              keys == nil ? member.name : member.name.composed,
              values.map(member.value.composed(at:)) ?? member.value
            )
          }
        )
      )
    default: self
    }
  }
}
