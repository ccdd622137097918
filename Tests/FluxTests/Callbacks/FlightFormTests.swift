import StrataFlux
import Testing

/// The flight destination form of CLAFluxDispatcher's README.
struct FlightFormTests {
  enum Payload {
    case updateCity(String)
    case updateCountry(String)
  }

  enum Part: CaseIterable {
    case country
    case city
    case price
  }

  /// The three stores of the example, registered in any order on one dispatcher.
  final class Form {
    private(set) var country: String?
    private(set) var city: String?
    private(set) var price: Int?
    private(set) var updates: [Part] = []

    private let dispatcher = FluxDispatcher<Payload>()
    private var tokens: [Part: DispatchToken] = [:]

    init(registering parts: [Part]) {
      for part in parts {
        tokens[part] = dispatcher.register("\(part)") { [unowned self] payload in
          try digest(payload, by: part)
        }
      }
    }

    func dispatch(_ payload: Payload) throws {
      try dispatcher.dispatch(payload)
    }

    private func digest(_ payload: Payload, by part: Part) throws {
      switch (part, payload) {
      case (.country, .updateCountry(let name)):
        country = name
      case (.country, .updateCity):
        return
      case (.city, .updateCity(let name)):
        city = name
      case (.city, .updateCountry):
        try dispatcher.waitFor([#require(tokens[.country])])
        city = country == "australia" ? "canberra" : nil
      case (.price, .updateCity):
        try dispatcher.waitFor([#require(tokens[.city])])
        price = city == "paris" ? 400 : nil
      case (.price, .updateCountry):
        try dispatcher.waitFor([#require(tokens[.city])])
        price = country == "australia" && city == "canberra" ? 1200 : nil
      }
      updates.append(part)
    }
  }

  @Test(arguments: [[Part.country, .city, .price], [.price, .city, .country]])
  func `selecting a country updates country, then city, then price`(order: [Part]) throws {
    let form = Form(registering: order)

    try form.dispatch(.updateCountry("australia"))

    #expect(form.updates == [.country, .city, .price])
    #expect(form.country == "australia")
    #expect(form.city == "canberra")
    #expect(form.price == 1200)
  }

  @Test(arguments: [[Part.country, .city, .price], [.price, .city, .country]])
  func `selecting a city leaves the country alone`(order: [Part]) throws {
    let form = Form(registering: order)

    try form.dispatch(.updateCity("paris"))

    #expect(form.updates == [.city, .price])
    #expect(form.country == nil)
    #expect(form.price == 400)
  }
}
