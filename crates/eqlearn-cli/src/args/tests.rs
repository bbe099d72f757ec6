//! The command line can say all that a request can hold.

use clap::CommandFactory as _;
use eqlearn::Request;
use eqlearn::ask::{Command, described_knobs};

use super::Cli;

#[test]
fn every_word_of_a_request_is_a_flag_of_the_commands_that_take_it() {
    let cli = Cli::command();
    let mut seen = Vec::new();
    for command in [
        Command::Fit,
        Command::Reduce,
        Command::Discover,
        Command::DiscoverField,
        Command::Compare,
        Command::CompareTrajectories,
    ] {
        let parsed = cli.find_subcommand(command.to_string()).unwrap();
        let has_flag = |word: &str| {
            parsed
                .get_arguments()
                .any(|arg| arg.get_long() == Some(word))
        };
        for word in command.takes() {
            seen.push(word.to_string());
            if word == "knobs" {
                for knob in described_knobs() {
                    assert!(has_flag(knob.name), "{command} --{}", knob.name);
                }
            } else {
                assert!(has_flag(word), "{command} --{word}");
            }
        }
    }
    for word in Request::words() {
        assert!(seen.contains(&word), "no command takes {word}");
    }
}

#[test]
fn every_flag_of_a_knob_reaches_the_request() {
    use clap::Parser as _;

    for knob in described_knobs() {
        let value = match knob.kind.words().first() {
            Some((word, _)) => (*word).to_string(),
            None => "3".to_string(),
        };
        let flag = format!("--{}={value}", knob.name);
        let cli = Cli::parse_from(["eqlearn", "fit", "data.csv", &flag]);
        let super::Command::Fit(args) = cli.command else {
            panic!("it is fit");
        };
        let request = args.request();
        assert_eq!(
            request.knobs.get(knob.name),
            knob.kind.parse(&value).as_ref()
        );
    }
}

#[test]
fn the_definitions_make_sense_to_the_parser() {
    Cli::command().debug_assert();
}

#[test]
fn help_has_the_target_first_and_results_under_output() {
    let cli = Cli::command();
    let fit = cli.find_subcommand("fit").unwrap();
    let heading = |flag: &str| {
        let mut all = fit.get_arguments();
        let found = all.find(|arg| arg.get_long() == Some(flag)).unwrap();
        found.get_help_heading()
    };
    let first = fit
        .get_arguments()
        .find(|arg| !arg.is_positional())
        .unwrap();
    assert_eq!(first.get_long(), Some("target"));
    let discover = cli.find_subcommand("discover").unwrap();
    let mut flags = discover.get_arguments().filter(|arg| !arg.is_positional());
    let first = flags.find(|arg| arg.get_help_heading().is_none()).unwrap();
    assert_eq!(first.get_long(), Some("time"));
    assert_eq!(heading("target"), None);
    for flag in [
        "json", "latex", "save", "report", "color", "quiet", "verbose",
    ] {
        assert_eq!(heading(flag), Some("Output"), "{flag}");
    }
    for flag in ["alpha", "threshold", "cv", "refit"] {
        assert_eq!(heading(flag), Some("Knobs of single methods"), "{flag}");
    }
    let terms = fit
        .get_arguments()
        .find(|arg| arg.get_long() == Some("terms"));
    let help = terms.unwrap().get_help().unwrap().to_string();
    for function in ["sin", "atan", "log10", "cbrt", "sign", "sqrt"] {
        assert!(help.contains(function), "{function}");
    }
}
