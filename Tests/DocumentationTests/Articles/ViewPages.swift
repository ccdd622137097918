import Observation
import Strata

// The page "Observing in views" of `StrataCore`.

@MainActor
final class ProfileModel: Observable {
  private let store: AppStore
  private let profile: Observed<ProfileState>
  private let posts: Observed<Int>

  init(store: AppStore) {
    self.store = store
    profile = store.observed(.map(\.profile))
    posts = store.derived(in: \.db.posts) { posts in posts[Post.published][true].count }.observed()
  }

  var posted: String { "\(posts.value) posts" }

  var name: String {
    get { profile.value.name }
    set { store.commit("rename") { $0.profile.name = newValue } }
  }
}

@MainActor
private func tracking(model: ProfileModel, redraw: @escaping @Sendable () -> Void) {
  let name = withObservationTracking {
    model.name
  } onChange: {
    redraw()  // once, before the name changes
  }
  print(name)
}

@available(macOS 26, iOS 26, tvOS 26, watchOS 26, visionOS 26, *)
@MainActor
private func sequence(model: ProfileModel) async {
  for await name in Observations({ model.name }) {
    print(name)  // the name now, and after each change
  }
}
