/// Encodes and decodes the states and actions of one store, independent of its types.
protocol StoreCoding: Sendable {
  func encode(_ state: any StateType, to encoder: any Encoder) throws
  func decodeState(from decoder: any Decoder) throws -> any StateType
  func encode(_ action: any FluxAction, to encoder: any Encoder) throws
  func decodeAction(from decoder: any Decoder) throws -> any FluxAction
  /// The change that the reducer's `reduce` makes for an action; nil for an action of another type.
  func reduction(of action: any FluxAction) -> ReplayableMutation?
}

extension FluxStore {
  var coding: any StoreCoding { FluxStoreCoding(reducer: reducer, store: identifier) }
}

private struct FluxStoreCoding<State: StateType, Action: FluxAction>: StoreCoding {
  let reducer: Reducer<State, Action>
  let store: String

  func encode(_ state: any StateType, to encoder: any Encoder) throws {
    guard let state = state as? any Encodable else { throw notCodable(State.self) }
    try state.encode(to: encoder)
  }

  func decodeState(from decoder: any Decoder) throws -> any StateType {
    guard
      let type = State.self as? any Decodable.Type,
      let state = try type.init(from: decoder) as? State
    else { throw notCodable(State.self) }
    return state
  }

  func encode(_ action: any FluxAction, to encoder: any Encoder) throws {
    guard let action = action as? any Encodable else { throw notCodable(Action.self) }
    try action.encode(to: encoder)
  }

  func decodeAction(from decoder: any Decoder) throws -> any FluxAction {
    guard
      let type = Action.self as? any Decodable.Type,
      let action = try type.init(from: decoder) as? Action
    else { throw notCodable(Action.self) }
    return action
  }

  func reduction(of action: any FluxAction) -> ReplayableMutation? {
    (action as? Action).map { .reduction(of: $0, by: reducer) }
  }

  private func notCodable(_ type: Any.Type) -> RecorderError {
    .notCodable(store: store, type: "\(type)")
  }
}
