import Foundation
import StrataBase

/// The states and actions of one store as JSON, independent of its types.
extension HubStore {
  var stateType: String { "\(State.self)" }
  var actionType: String { "\(Action.self)" }

  /// A state, with its entity tables beside it.
  func encode(_ state: any StateType) throws -> EncodedState {
    guard let state = state as? any Encodable else { throw notCodable(State.self) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    let parts = SeparateParts()
    encoder.userInfo[SeparateParts.key] = parts
    let json = try ExactJSON(parsing: encoder.encode(state))
    return EncodedState(json: json, parts: parts.all)
  }

  func decodeState(_ encoded: EncodedState) throws -> any StateType {
    let decoder = JSONDecoder()
    decoder.userInfo[SeparateParts.key] = SeparateParts(encoded.parts)
    guard
      let type = State.self as? any Decodable.Type,
      let state = try decoder.decode(type, from: encoded.json.data) as? State
    else { throw notCodable(State.self) }
    return state
  }

  func encode(_ action: any FluxAction) throws -> ExactJSON {
    guard let action = action as? any Encodable else { throw notCodable(Action.self) }
    return try EncodedState.json(of: action)
  }

  func decodeAction(_ action: ExactJSON) throws -> any FluxAction {
    guard
      let type = Action.self as? any Decodable.Type,
      let action = try JSONDecoder().decode(type, from: action.data) as? Action
    else { throw notCodable(Action.self) }
    return action
  }

  /// The change that the reducer's `reduce` makes for an action; nil for an action of another type.
  func reduction(of action: any FluxAction) -> ReplayableMutation? {
    guard let action = action as? Action else { return nil }
    let reducer = typed.reducer
    return ReplayableMutation(
      { (state: inout State) in try reducer.reduce(&state, action) },
      isReduction: true
    )
  }

  /// Whether two states are equal; nil if their type is not `Equatable`.
  func isEqual(_ a: any StateType, _ b: any StateType) -> Bool? {
    func isEqual<Value: Equatable>(_ a: Value) -> Bool { a == b as? Value }
    return (a as? any Equatable).map { isEqual($0) }
  }

  private func notCodable(_ type: Any.Type) -> RecorderError {
    .notCodable(store: identifier, type: "\(type)")
  }
}
