//! The ordered terms that an equation may be made of.
//!
//! A dictionary owns the names of the features and a list of terms over them. It evaluates all
//! terms on a batch of rows into the columns of a matrix, which is all that the rest of the library
//! needs to know about formulas.
//!
//! Invariants: no term is zero, no two terms are equal or proportional (one of the two columns
//! would be redundant), and the order is the one in which the terms were given.

mod plan;
mod products;

use std::collections::{BTreeMap, BTreeSet};

use qd::Quad;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::terms::term::Term;
use crate::terms::{TermProblem, TermsError};
use plan::Plan;
pub(crate) use products::{Degree, Products};

/// How many terms a dictionary may have; the triangle of more would not fit a workstation.
pub const MAX_TERMS: usize = 20_000;

/// An ordered set of distinct terms over named features.
///
/// ```
/// use eqlearn::Dictionary;
///
/// let dictionary = Dictionary::monomials(["x", "y"], 2, 2, true)?.and_parse(["sin(x)"])?;
/// let terms: Vec<String> = dictionary.terms().iter().map(ToString::to_string).collect();
/// assert_eq!(terms, ["1", "x", "y", "x^2", "x*y", "y^2", "sin(x)"]);
///
/// let (x, y) = ([2.0, 3.0], [5.0, 7.0]);
/// let mut columns = [0.0; 14];
/// dictionary.evaluate(&[&x, &y], &mut columns).expect("all values are finite");
/// assert_eq!(columns[8..10], [10.0, 21.0]);
/// # Ok::<(), eqlearn::Error>(())
/// ```
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct Dictionary {
    features: Vec<String>,
    terms: Vec<Term>,
    /// The monic form of each term, which finds terms and recognises proportional ones.
    index: BTreeMap<Term, usize>,
    plan: Plan,
}

/// Where a term has no finite value: the first such row of a batch, and the first such term in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct NotFinite {
    /// The row in the batch, from 0.
    pub row: usize,
    /// The term, by its index in the dictionary.
    pub term: usize,
}

impl Dictionary {
    /// A dictionary without terms.
    ///
    /// # Errors
    /// If a name is empty or there twice.
    pub fn new(features: impl IntoIterator<Item = impl Into<String>>) -> Result<Self> {
        let features: Vec<String> = features.into_iter().map(Into::into).collect();
        let mut seen = BTreeSet::new();
        for (i, name) in features.iter().enumerate() {
            if name.trim().is_empty() {
                return Err(TermsError::UnnamedFeature { position: i + 1 }.into());
            }
            if !seen.insert(name) {
                return Err(TermsError::DuplicateFeature { name: name.clone() }.into());
            }
        }
        Ok(Self {
            features,
            terms: Vec::new(),
            index: BTreeMap::new(),
            plan: Plan::default(),
        })
    }

    /// All monomials with powers up to `max_power` and total power up to `max_degree`.
    ///
    /// They are ordered by total power, then by the powers of the first feature, the second and so
    /// on, higher powers first: 1, x1, x2, x1^2, x1*x2, x2^2. `constant` says whether 1 is among
    /// them.
    ///
    /// # Errors
    /// If a name is empty or there twice, or if there would be more than [`MAX_TERMS`] terms.
    pub fn monomials(
        features: impl IntoIterator<Item = impl Into<String>>,
        max_power: u32,
        max_degree: u32,
        constant: bool,
    ) -> Result<Self> {
        let mut dictionary = Self::new(features)?;
        let count = count_monomials(dictionary.features.len(), max_power, max_degree);
        if count > MAX_TERMS as u128 {
            let counted = |degree| count_monomials(dictionary.features.len(), max_power, degree);
            let smaller = (1..max_degree).map(|degree| (degree, counted(degree)));
            let fits = smaller.take_while(|(_, count)| *count <= MAX_TERMS as u128);
            return Err(TermsError::TooManyTerms {
                count,
                limit: MAX_TERMS,
                fits: fits.last(),
            }
            .into());
        }
        let n_features = dictionary.features.len();
        let highest = u64::from(max_power) * n_features as u64;
        for degree in u32::from(!constant)..=max_degree {
            if u64::from(degree) > highest {
                break;
            }
            let mut powers = vec![0; n_features];
            dictionary.push_monomials(&mut powers, 0, degree, max_power)?;
        }
        dictionary.plan = Plan::new(&dictionary.terms);
        Ok(dictionary)
    }

    /// The dictionary of the terms with these texts.
    ///
    /// # Errors
    /// As [`new`](Self::new) and [`and_parse`](Self::and_parse).
    pub fn parse(
        features: impl IntoIterator<Item = impl Into<String>>,
        texts: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<Self> {
        Self::new(features)?.and_parse(texts)
    }

    /// This dictionary and the terms with these texts after its own.
    ///
    /// # Errors
    /// If a text is no term, if a term is zero everywhere, equal or proportional to an earlier one,
    /// or if there are more than [`MAX_TERMS`] terms.
    pub fn and_parse(mut self, texts: impl IntoIterator<Item = impl AsRef<str>>) -> Result<Self> {
        for text in texts {
            let text = text.as_ref().trim();
            let term = Term::parse(text, &self.features)?;
            self.push(term, text)?;
        }
        self.plan = Plan::new(&self.terms);
        Ok(self)
    }

    /// This dictionary and those of the terms with these texts that it does not have yet; and the
    /// texts of the others, each with the term that it repeats or is a multiple of.
    ///
    /// # Errors
    /// As [`and_parse`](Self::and_parse), but for terms that are there.
    pub(crate) fn and_new(
        mut self,
        texts: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Result<(Self, Vec<(String, String)>)> {
        let mut repeated = Vec::new();
        for text in texts {
            let text = text.as_ref().trim();
            let term = Term::parse(text, &self.features)?;
            match self.index.get(&term.monic()).copied() {
                Some(known) if !term.is_zero() => {
                    repeated.push((text.to_string(), self.terms[known].to_string()));
                }
                _ => self.push(term, text)?,
            }
        }
        self.plan = Plan::new(&self.terms);
        Ok((self, repeated))
    }

    /// This dictionary and these terms after its own; features are matched by name.
    ///
    /// # Errors
    /// As [`and_parse`](Self::and_parse).
    pub fn with(self, terms: impl IntoIterator<Item = Term>) -> Result<Self> {
        self.and_parse(terms.into_iter().map(|term| term.to_string()))
    }

    /// A dictionary of these terms over these features, without those that repeat an earlier one
    /// or are a multiple of it.
    pub(crate) fn distinct(
        features: &[String],
        terms: impl IntoIterator<Item = Term>,
    ) -> Result<Self> {
        let mut dictionary = Self::new(features)?;
        for term in terms {
            if !term.is_zero() && !dictionary.index.contains_key(&term.monic()) {
                let text = term.to_string();
                dictionary.push(term, &text)?;
            }
        }
        dictionary.plan = Plan::new(&dictionary.terms);
        Ok(dictionary)
    }

    /// The names of the features.
    pub fn features(&self) -> &[String] {
        &self.features
    }

    /// The terms in order.
    pub fn terms(&self) -> &[Term] {
        &self.terms
    }

    /// For each feature whether some term has it.
    pub(crate) fn used(&self) -> Vec<bool> {
        let mut used = vec![false; self.features.len()];
        for (place, _) in self.terms.iter().flat_map(Term::features) {
            used[place] = true;
        }
        used
    }

    /// How many terms there are.
    pub fn len(&self) -> usize {
        self.terms.len()
    }

    /// Whether there is no term.
    pub fn is_empty(&self) -> bool {
        self.terms.is_empty()
    }

    /// Whether the constant is among the terms.
    pub fn has_constant(&self) -> bool {
        self.terms.iter().any(Term::is_constant)
    }

    /// The dictionary of only the terms with these indices, over the same features.
    ///
    /// # Panics
    /// If an index is out of range or there twice.
    #[must_use]
    pub fn select(&self, indices: &[usize]) -> Self {
        let features =
            Self::new(self.features.iter().cloned()).expect("the names are good already");
        let terms = indices.iter().map(|&i| self.terms[i].clone());
        features.with(terms).expect("distinct terms stay distinct")
    }

    /// The dictionary of only the terms that are wanted, over the same features.
    pub(crate) fn only(&self, wanted: impl Fn(&Term) -> bool) -> Self {
        let terms = self.terms.iter().enumerate();
        let kept = terms.filter(|(_, term)| wanted(term));
        self.select(&kept.map(|(place, _)| place).collect::<Vec<_>>())
    }

    /// The index of a term.
    pub fn position(&self, term: &Term) -> Option<usize> {
        let i = *self.index.get(&term.monic())?;
        (self.terms[i] == *term).then_some(i)
    }

    /// The index of the term with this text.
    ///
    /// ```
    /// use eqlearn::Dictionary;
    ///
    /// let dictionary = Dictionary::monomials(["x", "y"], 2, 2, true)?;
    /// assert_eq!(dictionary.find("y*x")?, 4);
    /// assert!(dictionary.find("x^3").is_err());
    /// # Ok::<(), eqlearn::Error>(())
    /// ```
    ///
    /// # Errors
    /// If the text is no term, or one that is not here.
    pub fn find(&self, text: &str) -> Result<usize> {
        let term = Term::parse(text, &self.features)?;
        let unknown = || TermsError::UnknownTerm {
            term: term.to_string(),
        };
        Ok(self.position(&term).ok_or_else(unknown)?)
    }

    /// Evaluates all terms on a batch of rows.
    ///
    /// `features` are the columns of the features, in order; `out` takes a column per term, one
    /// after the other.
    ///
    /// # Errors
    /// The first row with a value that is not finite; [`explain`](Self::explain) makes a message of
    /// it. The rows from there on are then not to be used.
    ///
    /// # Panics
    /// If the number of columns or the lengths do not fit together.
    pub fn evaluate(&self, features: &[&[f64]], out: &mut [f64]) -> Result<(), NotFinite> {
        let n_obs = self.count_rows(features, out.len());
        self.plan.run(features, n_obs, out)
    }

    /// Evaluates all terms in double-double arithmetic.
    ///
    /// Sums, products, quotients, whole powers and square roots have about 31 digits; functions are
    /// those of `f64`.
    ///
    /// # Errors
    /// As [`evaluate`](Self::evaluate).
    ///
    /// # Panics
    /// If the number of columns or the lengths do not fit together.
    pub(crate) fn evaluate_precisely(
        &self,
        features: &[&[f64]],
        out: &mut [Quad],
    ) -> Result<(), NotFinite> {
        let n_obs = self.count_rows(features, out.len());
        self.plan.run(features, n_obs, out)
    }

    /// The error that names the term and the values at a place without a finite value, and all
    /// other terms without one somewhere in the batch.
    ///
    /// `features` is the batch that was evaluated, `row` the number of the row as the reader counts
    /// them.
    pub fn explain(&self, place: NotFinite, features: &[&[f64]], row: u64) -> Error {
        TermsError::TermValueNotFinite {
            term: self.terms[place.term].to_string(),
            row,
            values: self.values_at(place, features),
            others: self.others_not_finite(place.term, features),
        }
        .into()
    }

    /// The same for values of a motion, with the name of the record and the time at that place.
    pub(crate) fn explain_in_motion(
        &self,
        place: NotFinite,
        features: &[&[f64]],
        (record, time): (&str, f64),
    ) -> Error {
        TermsError::TermNotFiniteInMotion {
            term: self.terms[place.term].to_string(),
            record: record.to_string(),
            time,
            values: self.values_at(place, features),
            others: self.others_not_finite(place.term, features),
        }
        .into()
    }

    /// The features in the term at a place, with their values there.
    fn values_at(&self, place: NotFinite, features: &[&[f64]]) -> Vec<(String, f64)> {
        let value = |(column, name): (usize, &str)| (name.to_owned(), features[column][place.row]);
        let term = self.terms[place.term].features();
        term.into_iter().map(value).collect()
    }

    /// The other terms that are not finite in some row.
    fn others_not_finite(&self, known: usize, features: &[&[f64]]) -> Vec<String> {
        let mut values = vec![0.0; features.first().map_or(0, |column| column.len())];
        let mut is_undefined = |term: &Term| {
            term.evaluate(features, &mut values);
            values.iter().any(|value| !value.is_finite())
        };
        let others = self.terms.iter().enumerate();
        let others = others.filter(|(i, term)| *i != known && is_undefined(term));
        others.map(|(_, term)| term.to_string()).collect()
    }

    fn count_rows(&self, features: &[&[f64]], n_values: usize) -> usize {
        assert_eq!(
            features.len(),
            self.features.len(),
            "one column per feature"
        );
        let n_obs = match features.first() {
            Some(column) => column.len(),
            None => n_values / self.len().max(1),
        };
        assert!(
            features.iter().all(|column| column.len() == n_obs),
            "columns of equal length"
        );
        assert_eq!(n_values, n_obs * self.len(), "a value per row and term");
        n_obs
    }

    fn push(&mut self, term: Term, text: &str) -> Result<()> {
        if term.is_zero() {
            let problem = TermProblem::Zero;
            return Err(TermsError::Syntax {
                text: text.to_owned(),
                column: 0,
                problem,
            }
            .into());
        }
        let monic = term.monic();
        if let Some(&i) = self.index.get(&monic) {
            let (text, earlier) = (text.to_owned(), &self.terms[i]);
            let same = *earlier == term;
            let term = earlier.to_string();
            let repeated = if same {
                TermsError::DuplicateTerm { text, term }
            } else {
                TermsError::ProportionalTerm { text, term }
            };
            return Err(repeated.into());
        }
        if self.len() == MAX_TERMS {
            return Err(TermsError::TooManyTerms {
                fits: None,
                count: MAX_TERMS as u128 + 1,
                limit: MAX_TERMS,
            }
            .into());
        }
        self.index.insert(monic, self.terms.len());
        self.terms.push(term);
        Ok(())
    }

    /// Adds the monomials whose powers from place `next` on sum to `degree`.
    fn push_monomials(
        &mut self,
        powers: &mut [u32],
        next: usize,
        degree: u32,
        max_power: u32,
    ) -> Result<()> {
        if degree == 0 {
            let named = powers.iter().zip(&self.features).enumerate();
            let used = named.filter(|(_, (power, _))| **power > 0);
            let term = Term::monomial(used.map(|(i, (power, name))| (i, name.as_str(), *power)));
            let text = term.to_string();
            return self.push(term, &text);
        }
        let places_after = (powers.len() - next - 1) as u64;
        for power in (0..=max_power.min(degree)).rev() {
            if u64::from(degree - power) > places_after * u64::from(max_power) {
                break;
            }
            powers[next] = power;
            self.push_monomials(powers, next + 1, degree - power, max_power)?;
        }
        powers[next] = 0;
        Ok(())
    }
}

impl PartialEq for Dictionary {
    fn eq(&self, other: &Self) -> bool {
        (&self.features, &self.terms) == (&other.features, &other.terms)
    }
}

impl Eq for Dictionary {}

/// The dictionary as it is saved.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    features: Vec<String>,
    terms: Vec<String>,
}

impl From<Dictionary> for Written {
    fn from(dictionary: Dictionary) -> Self {
        let terms = dictionary.terms.iter().map(ToString::to_string).collect();
        Self {
            features: dictionary.features,
            terms,
        }
    }
}

impl TryFrom<Written> for Dictionary {
    type Error = Error;

    fn try_from(written: Written) -> Result<Self> {
        Self::parse(written.features, written.terms)
    }
}

/// How many monomials there are, with the constant; a lower bound once it is beyond [`MAX_TERMS`].
///
/// Each feature multiplies the monomials of those before it by every power up to `max_power`, so
/// the counts by degree are running sums over a window. The count never falls with more features or
/// degrees, and there is at least one monomial for every degree and every feature. So features and
/// degrees beyond the limit need not be counted.
fn count_monomials(n_features: usize, max_power: u32, max_degree: u32) -> u128 {
    let limit = MAX_TERMS + 1;
    let max_power = usize::try_from(max_power).map_or(limit, |power| power.min(limit));
    let n_features = n_features.min(limit);
    let degrees = usize::try_from(max_degree)
        .map_or(limit, |degree| degree.min(limit))
        .min(n_features.saturating_mul(max_power));
    let mut by_degree = vec![0_u128; degrees + 1];
    by_degree[0] = 1;
    for _ in 0..n_features {
        let before = by_degree.clone();
        let mut window = 0_u128;
        for (degree, count) in by_degree.iter_mut().enumerate() {
            window += before[degree];
            if degree > max_power {
                window -= before[degree - max_power - 1];
            }
            *count = window;
        }
        if by_degree.iter().sum::<u128>() > 1 << 100 {
            break;
        }
    }
    by_degree.iter().sum()
}

#[cfg(test)]
mod tests;
