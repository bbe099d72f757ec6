//! One size: everything that the threads deciding it share.
//!
//! The list and its cutoff are shared, so that a good support found by one thread lets the others
//! prune more. The cutoff never rises, and supports equal to it still pass. So an outdated value
//! costs time and loses no support.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::reduce::support::Support;
use crate::search::Candidate;
use crate::search::decide::plan::Binomials;
use crate::search::decide::shortlist::Shortlist;
use crate::search::tree::walk::WIDER;

/// A better order of `n` columns pays off if more than this many times `n³` subsets depend on it.
const ORDER_PRICE: u128 = 20;

/// What is shared while one size is decided.
#[derive(Debug)]
pub(crate) struct Pass<'a> {
    pub(crate) required: Vec<usize>,
    pub(crate) tolerance: f64,
    pub(crate) order: OrderOf,
    pub(crate) binomials: &'a Binomials,
    target_length: f64,
    list: Mutex<Shortlist>,
    /// Bits of the widened cutoff, as a residual length in units of the target.
    cutoff: AtomicU64,
    /// Asks all threads to stop.
    pub(crate) stop: AtomicBool,
    /// The list is full of zero residuals.
    pub(crate) flat: AtomicBool,
    /// Subsets decided so far, for the observer.
    decided: Mutex<u128>,
}

/// In which order supports are visited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OrderOf {
    /// In the order for which bounds exclude most.
    Damage,
    /// The order of the dictionary, for the first supports with residual zero.
    Dictionary,
}

impl<'a> Pass<'a> {
    pub(crate) fn new(
        list: Shortlist,
        required: &[usize],
        order: OrderOf,
        (tolerance, target_length): (f64, f64),
        binomials: &'a Binomials,
    ) -> Self {
        let pass = Self {
            required: required.to_vec(),
            tolerance,
            order,
            binomials,
            target_length,
            cutoff: AtomicU64::new(f64::INFINITY.to_bits()),
            list: Mutex::new(Shortlist::new(0)),
            stop: AtomicBool::new(false),
            flat: AtomicBool::new(false),
            decided: Mutex::new(0),
        };
        pass.tighten(&list);
        *pass.list.lock().unwrap_or_else(PoisonError::into_inner) = list;
        pass
    }

    /// The largest residual length with which a support may still enter the list, widened for
    /// rounding.
    pub(crate) fn cutoff(&self) -> f64 {
        f64::from_bits(self.cutoff.load(Ordering::Relaxed))
    }

    /// Whether columns may be put in another order.
    pub(crate) fn reorders(&self) -> bool {
        self.order == OrderOf::Damage
    }

    /// Whether a better order of this many columns pays off, with this many subsets below.
    pub(crate) fn order_pays(&self, subsets: u128, columns: usize) -> bool {
        self.reorders() && subsets > ORDER_PRICE.saturating_mul((columns as u128).pow(3))
    }

    /// How many ways there are to choose.
    pub(crate) fn choose(&self, n: usize, k: usize) -> u128 {
        self.binomials.choose(n, k)
    }

    /// Offers a support with its exact residual.
    pub(crate) fn offer(&self, support: &[usize], one_minus_r2: f64) {
        if self.order == OrderOf::Dictionary && one_minus_r2 > 0.0 {
            return;
        }
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        if one_minus_r2 > list.cutoff() {
            return;
        }
        let support: Support = support.iter().copied().collect();
        if list.offer(Candidate {
            support,
            one_minus_r2,
        }) {
            self.tighten(&list);
        }
    }

    /// A copy of the list as it is.
    pub(crate) fn list(&self) -> Shortlist {
        self.list
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Counts subsets as decided.
    pub(crate) fn advance(&self, subsets: u128) {
        let mut decided = self.decided.lock().unwrap_or_else(PoisonError::into_inner);
        *decided = decided.saturating_add(subsets);
    }

    /// How many subsets are decided.
    pub(crate) fn decided(&self) -> u128 {
        *self.decided.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tighten(&self, list: &Shortlist) {
        let cutoff = list.cutoff();
        if cutoff <= 0.0 {
            self.flat.store(true, Ordering::Relaxed);
            self.stop.store(true, Ordering::Relaxed);
        }
        let length = match self.order {
            // Also where the target is zero, and any multiple of it.
            _ if cutoff.is_infinite() && self.order == OrderOf::Damage => f64::INFINITY,
            OrderOf::Damage => cutoff.sqrt() * self.target_length * (1.0 + WIDER),
            OrderOf::Dictionary => 0.0,
        };
        self.cutoff.store(length.to_bits(), Ordering::Relaxed);
    }
}
