//! The interactive part of a page: for one target, models side by side and their terms.

use eqlearn::search::SizeList;
use eqlearn::tell::compare::{Comparison, MethodReport};
use eqlearn::tell::document::TermEntry;
use eqlearn::{Fit, Study, Support, with_error};
use serde::Serialize;

use crate::math;
use crate::sample::Sample;

/// Models of one size at most.
const PER_SIZE: usize = 6;
/// Terms at most: those that most models have.
const TERMS: usize = 30;

/// One target: its models in groups, as columns of a map whose rows are terms.
#[derive(Debug, Clone, Serialize)]
pub struct Board {
    /// The target column, or the state whose derivative this is.
    pub target: String,
    /// The left side of its equation, in `MathML`.
    pub left: String,
    /// Every term that some model has; those in the map come first.
    pub terms: Vec<TermView>,
    /// How many of them are in the map.
    pub n_rows: usize,
    /// The models, group after group.
    pub models: Vec<ModelView>,
    /// The answer's place among the models.
    pub answer: Option<usize>,
    /// Probabilities that terms belong in the equation, likely ones first.
    #[serde(skip)]
    pub inclusion: Vec<(String, f64)>,
    /// A few rows of data, to show residuals.
    pub sample: Option<Sample>,
}

/// A term as text and typeset.
#[derive(Debug, Clone, Serialize)]
pub struct TermView {
    /// As text.
    pub text: String,
    /// As `MathML`.
    pub math: String,
}

/// One model.
#[derive(Debug, Clone, Serialize)]
pub struct ModelView {
    /// What it is called.
    pub name: String,
    /// The group it is in.
    pub group: String,
    /// Places of its terms in the board.
    pub terms: Vec<usize>,
    /// Their coefficients, with all digits.
    pub coefficients: Vec<f64>,
    /// Standard errors, where they have a meaning.
    pub errors: Vec<Option<f64>>,
    /// Coefficients without sign, with the digits that their errors support.
    pub shown: Vec<String>,
    /// `1 − R²`.
    pub unexplained: Option<f64>,
    /// The log evidence under the paper's prior.
    pub evidence: Option<f64>,
    /// The probability among the models compared.
    pub probability: Option<f64>,
    /// What else there is to know.
    pub note: String,
}

impl ModelView {
    fn set_coefficients(&mut self, values: &[f64], errors: impl Iterator<Item = Option<f64>>) {
        self.coefficients = values.to_vec();
        self.errors = errors.collect();
        let both = values.iter().zip(&self.errors);
        let shown = both.map(|(value, error)| math::number(&with_error(value.abs(), *error)));
        self.shown = shown.collect();
    }
}

impl Board {
    /// The models of a study: the best of each size if a search made lists, or else the best of the
    /// ranking.
    pub fn of_study(study: &Study) -> Self {
        let mut supports: Vec<(usize, Support)> = if let Some(found) = study.found() {
            let centre = &study.settings().space.centre;
            found.sizes.iter().flat_map(|l| listed(l, centre)).collect()
        } else {
            let compared = study.ranking().models().iter().take(PER_SIZE);
            compared
                .map(|model| (model.fit.support().len(), model.fit.support().clone()))
                .collect()
        };
        let answer = study.answer().map(|answer| answer.fit.support());
        if let Some(answer) = answer.filter(|a| supports.iter().all(|(_, s)| s != *a)) {
            supports.push((answer.len(), answer.clone()));
            supports.sort_by_key(|(size, _)| *size);
        }
        let left = study.problem().left_side();
        let mut board = Self::empty(&left.to_string(), left.mathml());
        let mut rank = (0, 0);
        for (size, support) in &supports {
            rank = if rank.0 == *size {
                (*size, rank.1 + 1)
            } else {
                (*size, 1)
            };
            let ranked = study.ranking().find(support);
            let fit = ranked.map_or_else(
                || study.reduction().fit(support),
                |ranked| ranked.fit.clone(),
            );
            let is_answer = Some(support) == answer;
            let mut model = board.model(study, &fit);
            let plural = if *size == 1 { "" } else { "s" };
            model.name = format!("{size} term{plural}, place {}", rank.1);
            model.group = size.to_string();
            model.evidence = ranked.and_then(|ranked| study.log_evidence(ranked));
            model.probability = ranked.map(|ranked| ranked.probability);
            if is_answer {
                board.answer = Some(board.models.len());
                if let Some(own) = study.own() {
                    let none = std::iter::repeat_n(None, own.coefficients.len());
                    model.set_coefficients(&own.coefficients, none);
                    model.note = "shrunken coefficients of the method itself".into();
                }
            }
            board.models.push(model);
        }
        board.sort_terms();
        let terms = study.problem().dictionary().terms().iter();
        board.inclusion = terms
            .zip(study.ranking().inclusion())
            .map(|(term, share)| (term.to_string(), *share))
            .filter(|(_, share)| *share >= 0.001)
            .collect();
        board.inclusion.sort_by(|a, b| b.1.total_cmp(&a.1));
        board
    }

    /// The methods of a comparison.
    pub fn of_comparison(comparison: &Comparison, features: &[String]) -> Self {
        let mut board = Self::empty(&comparison.target, comparison.left_side.mathml());
        for report in &comparison.methods {
            let model = board.method(report, features);
            board.models.push(model);
        }
        board.sort_terms();
        board
    }

    /// The same with some rows, to show residuals.
    #[must_use]
    pub fn with_sample(mut self, sample: Option<Sample>) -> Self {
        self.sample = sample;
        self
    }

    fn empty(target: &str, left: String) -> Self {
        Self {
            target: target.to_string(),
            left,
            terms: Vec::new(),
            n_rows: 0,
            models: Vec::new(),
            answer: None,
            inclusion: Vec::new(),
            sample: None,
        }
    }

    fn model(&mut self, study: &Study, fit: &Fit) -> ModelView {
        let terms = fit.support().indices().iter().map(|&term| {
            let term = study.term(term);
            self.place(&term.to_string(), || {
                format!("<mrow>{}</mrow>", term.mathml())
            })
        });
        let mut model = ModelView::new(terms.collect());
        let errors = fit.std_errors();
        let error = |i: usize| errors.as_ref().map(|errors| errors[i]);
        model.set_coefficients(fit.coefficients(), (0..fit.coefficients().len()).map(error));
        model.unexplained = Some(fit.share_of(study.ranking().baseline()));
        model
    }

    fn method(&mut self, report: &MethodReport, features: &[String]) -> ModelView {
        let place =
            |entry: &TermEntry| self.place(&entry.term, || math::term(&entry.term, features));
        let mut model = ModelView::new(report.terms.iter().map(place).collect());
        let values: Vec<f64> = report.terms.iter().map(|entry| entry.coefficient).collect();
        model.set_coefficients(&values, report.terms.iter().map(|entry| entry.std_error));
        model.name.clone_from(&report.method);
        model.group.clone_from(&report.method);
        model.unexplained = report.one_minus_r2;
        model.evidence = report.log_evidence;
        model.note = match (&report.failure, &report.equation) {
            (Some(failure), _) => failure.clone(),
            (None, None) => "found no equation".into(),
            // A fraction, or a law of a function of the target.
            (None, Some(equation)) if report.terms.is_empty() => equation.clone(),
            _ => String::new(),
        };
        model
    }

    fn place(&mut self, text: &str, math: impl FnOnce() -> String) -> usize {
        let known = self.terms.iter().position(|term| term.text == text);
        known.unwrap_or_else(|| {
            self.terms.push(TermView {
                text: text.to_string(),
                math: math(),
            });
            self.terms.len() - 1
        })
    }

    /// Puts the terms that most models have first.
    fn sort_terms(&mut self) {
        let mut uses = vec![0_usize; self.terms.len()];
        for &term in self.models.iter().flat_map(|model| &model.terms) {
            uses[term] += 1;
        }
        let mut order: Vec<usize> = (0..uses.len()).collect();
        order.sort_by_key(|&term| std::cmp::Reverse(uses[term]));
        let mut place = vec![0; uses.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old] = new;
        }
        for term in self.models.iter_mut().flat_map(|model| &mut model.terms) {
            *term = place[*term];
        }
        self.terms = order.iter().map(|&old| self.terms[old].clone()).collect();
        self.n_rows = self.terms.len().min(TERMS);
    }
}

impl ModelView {
    fn new(terms: Vec<usize>) -> Self {
        Self {
            name: String::new(),
            group: String::new(),
            terms,
            coefficients: Vec::new(),
            errors: Vec::new(),
            shown: Vec::new(),
            unexplained: None,
            evidence: None,
            probability: None,
            note: String::new(),
        }
    }
}

/// The best supports of a size, with what is always in.
fn listed(list: &SizeList, centre: &Support) -> Vec<(usize, Support)> {
    let best = list.best.iter().take(PER_SIZE);
    best.map(|candidate| (list.size, candidate.support.union(centre)))
        .collect()
}
