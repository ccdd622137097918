import Strata
import StrataFlux
import StrataFluxRecorder

// The pages of `StrataFlux`.

private enum FlightForm {
  case selectCountry(String)
}

private final class CountryStore {
  var country = ""
}

private final class CityStore {
  var city = ""
}

private func defaultCity(of country: String) -> String { country }

private func callbacks(countryStore: CountryStore, cityStore: CityStore) throws {
  let dispatcher = FluxDispatcher<FlightForm>()
  let country = dispatcher.register("country") { payload in
    if case .selectCountry(let name) = payload { countryStore.country = name }
  }
  dispatcher.register("city") { [unowned dispatcher] payload in
    guard case .selectCountry = payload else { return }
    try dispatcher.waitFor([country])
    cityStore.city = defaultCity(of: countryStore.country)
  }
  try dispatcher.dispatch(.selectCountry("Australia"))
}

struct Counter: InitialStateType { var count = 0 }

enum CounterAction: FluxAction { case increase, decrease }

final class CounterReducer: Reducer<Counter, CounterAction>, @unchecked Sendable {
  override func operation(
    for action: CounterAction,
    in store: FluxStore<Counter, CounterAction>
  ) -> ActionOperation<Counter, CounterAction> {
    ActionOperation(action: action, store: store) { operation, action, store in
      store.updateState { $0.count += action == .increase ? 1 : -1 }
      operation.finish()
    }
  }
}

private func firstStore() throws {
  let store = FluxStore(identifier: "counter", reducer: CounterReducer())
  try Dispatcher.default.register(store: store)
  Dispatcher.default.dispatch(CounterAction.increase)
}

private func hub(
  counter: FluxStore<Counter, CounterAction>,
  prices: FluxStore<Counter, CounterAction>
) throws {
  try Dispatcher.default.register(store: counter)
  try Dispatcher.default.register(store: prices, waitingFor: ["counter"])

  Dispatcher.default.dispatch(CounterAction.increase)  // returns at once
}

private func waitingForStores() async throws {
  try await Dispatcher.default.dispatch(CounterAction.increase)  // returns when all stores are done
}

private func timeTravel(dispatcher: Dispatcher) throws {
  let recorder = RecorderMiddleware()
  dispatcher.register(middleware: recorder)

  guard let entry = recorder.entries.last else { return }
  try recorder.back()  // shows all stores as they were one action ago
  try recorder.forward()  // and after that action
  try recorder.skip(entry.id)  // as if the action had never been dispatched
  try recorder.returnToPresent()  // shows the present again, which was never changed
}
