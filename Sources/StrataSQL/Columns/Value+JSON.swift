import Foundation
import StrataRecords
package import StrataSQLite

extension Value {
  /// The value as JSON; bytes as base64 in a string.
  package var json: String {
    switch self {
    case .null: "null"
    case .integer(let number): String(number)
    case .real(let number): RecordValue.double(number).json()
    case .text(let text): RecordValue.string(text).json()
    case .blob(let bytes): RecordValue.data(Data(bytes)).json()
    }
  }
}
