//! Exact search for the best subsets of every size: the default method.

use super::declare::Declaration;

/// Exact lists that end where no larger size can win, as users meet them.
pub(super) static BEST: Declaration = Declaration {
    name: "best",
    summary: "Exact lists of all sizes that can win, chosen by the criterion that recovers most",
    resumes: true,
    ..Declaration::PLAIN
};

/// Exact lists that never end early, as users meet them.
pub(super) static BEST_SUBSET: Declaration = Declaration {
    name: "best-subset",
    summary: "Exact lists of every size up to the largest, never ended early",
    resumes: true,
    ..Declaration::PLAIN
};
