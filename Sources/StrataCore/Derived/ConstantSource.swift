/// The source of a derived value that never changes.
final class ConstantSource<Value: Sendable>: DerivedSource {
  let latest: Version<Value>

  private init(version: Version<Value>) { latest = version }

  convenience init(_ value: Value) { self.init(version: Version(Changes(initial: value))) }

  func follow(
    _ sink: Sink<Changes<Value>>,
    first: FirstDelivery,
    holding derived: Derived<Value>
  ) -> StoreSubscription {
    if first == .current { sink.deliver(latest.changes) }
    sink.finish()
    return StoreSubscription { [cancellation = sink.cancellation] in cancellation.cancel() }
  }

  func mapped<Next: Sendable>(
    _ projection: Projection<Value, Next>,
    holding derived: Derived<Value>
  ) -> any DerivedSource<Next> {
    let first = projection.first(from: latest, at: latest.number, beside: nil)
    return ConstantSource<Next>(version: first.output)
  }

  func retained<Next: Sendable>(
    _ rule: RetainingRule<Value, Next>,
    holding derived: Derived<Value>
  ) -> any DerivedSource<Next> {
    ConstantSource<Next>(rule.value(latest.value) ?? rule.retained(rule.seed))
  }

  func paired<Other: Sendable>(
    with other: Derived<Other>,
    holding derived: Derived<Value>
  ) -> (any DerivedSource<(Value, Other)>)? {
    let value = latest.value
    let pair = Projection(Pipeline<Other, (Value, Other)>.map { (value, $0) }, .nothing)
    return other.source.mapped(pair, holding: other)
  }
}
