import Strata

final class AppStore: Store<AppState, Never>, @unchecked Sendable {}
