//! What is told of a law beyond the dictionary: a study of the best ones, and the law itself.

use super::contender::{Contender, Seen};
use crate::beyond::parameters::{Law, Value};
use crate::error::Result;
use crate::judge::ranking::Ranked;
use crate::learn::model::{Denominator, Model, Parameter};
use crate::learn::{Method, Polished, Settings, Study};
use crate::methods::{How, Proposal};
use crate::reduce::Reduction;
use crate::reduce::support::Support;
use crate::search::Search;
use crate::terms::dictionary::Dictionary;
use crate::terms::problem::Problem;
use crate::terms::term::Term;
use crate::terms::vocabulary::Vocabulary;

impl Contender {
    /// The study of these laws in the last rows, with the best as its answer. `plain` is that of
    /// the dictionary itself.
    pub(super) fn study(&self, seen: &Seen<'_>, plain: &Study) -> Result<Study> {
        let features = plain.problem().dictionary().features();
        // The terms of the best law come first, so that its coefficients are in their order.
        let terms = self.laws.iter().flat_map(|law| law.terms.iter().cloned());
        let dictionary = Dictionary::distinct(features, terms)?;
        let place = |term: &Term| dictionary.position(term);
        let support = |law: &Law| -> Support { law.terms.iter().filter_map(place).collect() };
        let supports: Vec<Support> = self.laws.iter().map(support).collect();
        let mut columns: Vec<Vec<f64>> = dictionary.terms().iter().map(|t| seen.rows(t)).collect();
        columns.push(seen.response.clone());
        let slices: Vec<&[f64]> = columns.iter().map(Vec::as_slice).collect();
        let rows = Reduction::from_columns(&slices);
        let asked = plain.settings();
        let constant = dictionary.terms().iter().position(Term::is_constant);
        let forced = !asked.space.centre.is_empty();
        let centre: Support = constant.filter(|_| forced).into_iter().collect();
        let settings = Settings {
            n_candidates: Some(self.n_candidates + centre.len()),
            space: Search {
                centre,
                required: Support::empty(),
                excluded: Support::empty(),
                ..asked.space.clone()
            },
            ..asked.clone()
        };
        let proposal = Proposal {
            choice: supports.first().cloned(),
            supports: supports.clone(),
            how: match self.vocabulary {
                _ if asked.method == Method::Ols => How::Given,
                Vocabulary::Fractions => How::Fractions,
                _ => How::Parameters,
            },
        };
        let problem = Problem::new(plain.problem().left_side().clone(), dictionary)?;
        let study = Study::new(&problem, &rows, &settings, proposal);
        let score = |model: &Ranked| {
            let law = supports.iter().position(|own| own == model.fit.support());
            law.map_or(model.score, |law| self.laws[law].score)
        };
        let scores: Vec<f64> = study.ranking().models().iter().map(score).collect();
        let study = study.rescored(&scores);
        let best = &self.laws[0];
        let total = study.ranking().baseline().residual_norm().powi(2);
        let polished = Polished {
            model: self.model(plain),
            residual_norm: best.rss.sqrt(),
            share: best.rss / total,
        };
        Ok(study.polished_by(polished).judged(self.vocabulary, None))
    }

    /// The best law: a fraction if all of it is over one line, else a sum of terms with numbers
    /// inside.
    pub(super) fn model(&self, plain: &Study) -> Model {
        let law = &self.laws[0];
        self.fraction(law, plain).unwrap_or_else(|| sum(law, plain))
    }

    fn fraction(&self, law: &Law, plain: &Study) -> Option<Model> {
        let member = law.members.first().filter(|_| self.is_fraction(law))?;
        let shape = &self.shapes[member.family];
        let features = plain.problem().dictionary().features();
        let above = member.used.iter().map(|&m| shape.above[m].clone());
        let below = [Term::constant()]
            .into_iter()
            .chain(shape.below.iter().cloned());
        let errors = law.parameters.iter().map(|value| value.std_error);
        let errors = [Some(0.0)].into_iter().chain(errors).collect();
        let denominator = Denominator {
            dictionary: Dictionary::distinct(features, below).ok()?,
            coefficients: [vec![1.0], member.values.clone()].concat(),
            std_errors: errors,
        };
        Some(Model::fraction(
            plain.problem().left_side().clone(),
            (
                Dictionary::distinct(features, above).ok()?,
                law.coefficients.clone(),
            ),
            denominator,
            covariance(law),
            (law.sigma, plain.reduction().n_obs()),
        ))
    }
}

/// The law as a sum of terms, with the numbers that were found inside.
fn sum(law: &Law, plain: &Study) -> Model {
    let features = plain.problem().dictionary().features();
    let terms = Dictionary::distinct(features, law.terms.iter().cloned())
        .expect("the terms of a law are distinct terms of these features");
    let parameter = |value: &Value| Parameter {
        name: value.name.clone(),
        value: value.value,
        std_error: value.std_error,
    };
    let left = plain.problem().left_side().clone();
    let model = Model::given(left, terms, &law.coefficients).expect("fitted numbers are finite");
    model
        .refined(law.coefficients.clone(), covariance(law))
        .with_parameters(law.parameters.iter().map(parameter).collect())
        .learned_from(law.sigma, plain.reduction().n_obs())
}

/// The covariance of the coefficients.
fn covariance(law: &Law) -> Option<Vec<Vec<f64>>> {
    let n_terms = law.terms.len();
    law.covariance.as_ref().map(|all| {
        let rows = all[..n_terms].iter();
        rows.map(|row| row[..n_terms].to_vec()).collect()
    })
}
