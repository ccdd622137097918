extension Layout.Kind: CustomStringConvertible {
  /// The kind as a person reads it: `string`, `array of int64`, `record`, `any`.
  package var description: String {
    switch self {
    case .unknown: "any, null at first"
    case .scalar(let scalar): "\(scalar)"
    case .array(of: .unknown): "array"
    case .array(of: let kind): "array of \(kind)"
    case .record: "record"
    case .tagged: "any"
    }
  }
}
