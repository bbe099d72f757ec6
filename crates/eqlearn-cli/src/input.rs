//! From flags to data: opens the table, chooses its columns, builds the dictionary.

use std::path::Path;

use eqlearn::search::Search;
use eqlearn::terms::TermsError;
use eqlearn::{
    Dictionary, Error, Format, Method, Missing, Problem, ReadOptions, Settings, Source, Support,
    Term,
};

use crate::args::{self, Constant, DictionaryArgs, ReadingArgs, SearchArgs, Switch};
use crate::output::note;
use crate::trouble::Trouble;

/// How the flags want tables to be read.
pub(crate) fn options(args: &ReadingArgs) -> Result<ReadOptions, Trouble> {
    let missing = match args.missing {
        args::Missing::Error => Missing::Error,
        args::Missing::Drop => Missing::Drop,
    };
    Ok(ReadOptions {
        format: args.format.as_deref().map(str::parse).transpose()?,
        missing,
        ..ReadOptions::default()
    })
}

/// Opens DATA; `-` is standard input.
pub(crate) fn open(path: &Path, args: &ReadingArgs) -> Result<Source, Trouble> {
    let options = options(args)?;
    let source = if path == Path::new("-") {
        Source::from_reader(
            Box::new(std::io::stdin()),
            "standard input",
            options.format.unwrap_or(Format::Csv),
            &options,
        )?
    } else {
        Source::open(path, &options)?
    };
    if !args.quiet {
        source.notes().iter().for_each(|text| note(text));
    }
    Ok(source)
}

/// The number of threads to use, 0 for all cores.
pub(crate) fn threads(args: &ReadingArgs) -> usize {
    args.threads.map_or(0, usize::from)
}

/// What the flags ask of the table.
pub(crate) fn problem(
    source: &Source,
    target: &str,
    weights: Option<&str>,
    args: &DictionaryArgs,
    quiet: bool,
) -> Result<Problem, Trouble> {
    let features = if args.features.is_empty() {
        other_numeric_columns(source, target, weights, quiet)?
    } else {
        args.features.clone()
    };
    let dictionary = dictionary(&features, args)?;
    let problem = Problem::new(target, dictionary)?;
    Ok(match weights {
        Some(column) => problem.with_weights(column)?,
        None => problem,
    })
}

/// What the flags ask of the learner.
pub(crate) fn settings(
    problem: &Problem,
    dictionary: &DictionaryArgs,
    search: &SearchArgs,
    method: Method,
) -> Result<Settings, Trouble> {
    let constant = problem
        .dictionary()
        .terms()
        .iter()
        .position(Term::is_constant);
    let centre: Support = constant
        .filter(|_| constant_is_forced(dictionary, &method))
        .into_iter()
        .collect();
    if method == Method::Ols && !search.exclude.is_empty() {
        return Err(
            Trouble::new("ols takes all terms, so --exclude has nothing to choose from")
                .hint("name the terms to fit with --only-terms"),
        );
    }
    let named = |texts: &[String]| -> Result<Support, Trouble> {
        let found = texts
            .iter()
            .map(|text| position(problem.dictionary(), text))
            .collect::<Result<Vec<_>, _>>()?;
        Ok(found
            .into_iter()
            .filter(|&term| !centre.contains(term))
            .collect())
    };
    let space = Search {
        max_terms: usize::from(search.max_terms),
        keep: search.keep as usize,
        required: named(&search.require)?,
        excluded: named(&search.exclude)?,
        centre: centre.clone(),
        ..Search::default()
    };
    let mut settings = Settings {
        method,
        space,
        criterion: search.criterion.into(),
        size_prior: search.size_prior.into(),
        ..Settings::default()
    };
    settings.consistency.kept = search.keep as usize;
    settings.consistency.prune = search.prune == Switch::On;
    Ok(settings)
}

/// Whether the constant is always in, so that R² is about the mean: said, or the method's habit.
fn constant_is_forced(args: &DictionaryArgs, method: &Method) -> bool {
    match args.constant {
        Some(Constant::Forced) => true,
        Some(Constant::Free) => *method == Method::Ols,
        Some(Constant::None) => false,
        None => method.centres(),
    }
}

/// The place of a term that a flag names.
fn position(dictionary: &Dictionary, text: &str) -> Result<usize, Trouble> {
    dictionary.find(text).map_err(|error| match error {
        Error::Terms(TermsError::UnknownTerm { .. }) => {
            Trouble::from(error).hint("add it with --terms, or raise --max-power or --max-degree")
        }
        error => error.into(),
    })
}

fn other_numeric_columns(
    source: &Source,
    target: &str,
    weights: Option<&str>,
    quiet: bool,
) -> Result<Vec<String>, Trouble> {
    let others = || {
        source
            .columns()
            .iter()
            .filter(|c| c.name != target && Some(c.name.as_str()) != weights)
    };
    let left_out: Vec<String> = others()
        .filter(|c| !c.is_numeric())
        .map(|c| format!("{:?} ({})", c.name, c.kind))
        .collect();
    if !left_out.is_empty() && !quiet {
        note(&format!("left out, not numbers: {}", left_out.join(", ")));
    }
    let numeric: Vec<String> = others()
        .filter(|c| c.is_numeric())
        .map(|c| c.name.clone())
        .collect();
    if numeric.is_empty() {
        return Err(Trouble::new(format!(
            "{} has no numeric column besides {target:?} to learn from",
            source.name()
        )));
    }
    Ok(numeric)
}

/// The dictionary that the flags describe.
pub(crate) fn dictionary(
    features: &[String],
    args: &DictionaryArgs,
) -> Result<Dictionary, Trouble> {
    let texts = args.terms.as_deref().map(Term::split).unwrap_or_default();
    let base = if args.only_terms {
        Dictionary::new(features)?
    } else {
        Dictionary::monomials(
            features,
            args.max_power(),
            args.max_degree(),
            args.constant != Some(Constant::None),
        )
        .map_err(|error| {
            Trouble::from(error).hint("lower --max-degree or --max-power, or name fewer --features")
        })?
    };
    let asks_for_constant = matches!(args.constant, Some(Constant::Free | Constant::Forced));
    let lists_constant = texts
        .iter()
        .any(|text| Term::parse(text, features).is_ok_and(|term| term.is_constant()));
    let base = if args.only_terms && asks_for_constant && !lists_constant {
        base.with([Term::constant()])?
    } else {
        base
    };
    Ok(base.and_parse(texts)?)
}
