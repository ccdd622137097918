import StrataCore
import StrataFlux
import TestSupport
import Testing

/// The flight destination form of the second seed, as three stores of one hub.
struct FlightHubTests {
  enum Part: String, CaseIterable {
    case country
    case city
    case price
  }

  private enum Selection: FluxAction {
    case country(String)
    case city(String)
  }

  private struct Field<Value: Sendable & Equatable>: InitialStateType {
    var value: Value?
  }

  private typealias FieldStore<Value: Sendable & Equatable> = FluxStore<Field<Value>, Selection>

  private final class FieldReducer<Value: Sendable & Equatable>: Reducer<Field<Value>, Selection>,
    @unchecked Sendable
  {
    private let log: Recorder<String>
    private let digest: @Sendable (Selection) -> Value??

    /// `digest` returns the new value, or nil for an action that does not change it.
    init(_ log: Recorder<String>, _ digest: @escaping @Sendable (Selection) -> Value??) {
      self.log = log
      self.digest = digest
    }

    override func operation(
      for action: Selection,
      in store: FieldStore<Value>
    ) -> ActionOperation<Field<Value>, Selection> {
      ActionOperation(action: action, store: store) { [self] operation, action, store in
        if let value = digest(action) {
          store.updateState { $0.value = value }
          log.record(store.identifier)
        }
        operation.finish()
      }
    }
  }

  private struct Form {
    let hub = StrataFlux.Dispatcher(name: "flight")
    let log = Recorder<String>()
    let country: FieldStore<String>
    let city: FieldStore<String>
    let price: FieldStore<Int>

    init(registering parts: [Part]) throws {
      let country = FieldStore<String>(
        identifier: "country",
        reducer: FieldReducer(log) { action in
          if case .country(let name) = action { .some(name) } else { nil }
        }
      )
      let city = FieldStore<String>(
        identifier: "city",
        reducer: FieldReducer(log) { action in
          switch action {
          case .country: country.state.value == "australia" ? .some("canberra") : .some(nil)
          case .city(let name): .some(name)
          }
        }
      )
      price = FieldStore<Int>(
        identifier: "price",
        reducer: FieldReducer(log) { _ in
          switch (country.state.value, city.state.value) {
          case ("australia", "canberra"): .some(1200)
          case (_, "paris"): .some(400)
          default: .some(nil)
          }
        }
      )
      self.country = country
      self.city = city
      for part in parts {
        switch part {
        case .country: try hub.register(store: country)
        case .city: try hub.register(store: city, waitingFor: ["country"])
        case .price: try hub.register(store: price, waitingFor: ["country", "city"])
        }
      }
    }
  }

  @Test(
    arguments: [[Part.country, .city, .price], [.price, .city, .country]],
    [DispatchMode.sync, .async, .serial]
  )
  func `selecting a country updates country, then city, then price`(
    order: [Part],
    mode: DispatchMode
  ) async throws {
    let form = try Form(registering: order)

    try await form.hub.dispatch(Selection.country("australia"), mode: mode)

    #expect(form.log.elements == ["country", "city", "price"])
    #expect(form.country.state.value == "australia")
    #expect(form.city.state.value == "canberra")
    #expect(form.price.state.value == 1200)
  }

  @Test(arguments: [[Part.country, .city, .price], [.price, .city, .country]])
  func `selecting a city leaves the country alone`(order: [Part]) throws {
    let form = try Form(registering: order)

    form.hub.dispatch(Selection.city("paris"), mode: .sync)

    #expect(form.log.elements == ["city", "price"])
    #expect(form.country.state.value == nil)
    #expect(form.price.state.value == 400)
  }
}
