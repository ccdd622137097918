package import Strata

/// The store of a ``ComputedState``.
package final class ComputedStore: Store<ComputedState, Never>, @unchecked Sendable {
  package init() { super.init(initialState: ComputedState()) }
}
