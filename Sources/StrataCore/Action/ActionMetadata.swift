/// Who wrote an action: the name it was given and the place in the source that created it.
public typealias ActionMetadata = CommitTrace

/// Who wrote a mutation: the name it was given and the place in the source that created it.
public typealias MutationMetadata = CommitTrace
