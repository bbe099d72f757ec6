//! `fit` with the flags of the search, from end to end.

use std::fmt::Write as _;
use std::process::{Command, Stdio};

use crate::command::Folder;

/// Sixty rows of three features; y = 2 a^2*b - 3 c, and noise of 0.01. The last column is noise
/// alone.
pub(crate) fn planted() -> String {
    let mut state = 88_172_645_463_325_252_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    };
    let mut text = String::from("a,b,c,y,noise\n");
    for _ in 0..60 {
        let (a, b, c, noise) = (next(), next(), next(), next());
        let y = 2.0 * a * a * b - 3.0 * c + 0.01 * noise;
        writeln!(text, "{a},{b},{c},{y},{noise}").unwrap();
    }
    text
}

const FIT: [&str; 10] = [
    "fit",
    "data.csv",
    "--target",
    "y",
    "--features",
    "a,b,c",
    "--max-power",
    "2",
    "--max-degree",
    "3",
];

fn fit<'a>(rest: &[&'a str]) -> Vec<&'a str> {
    [&FIT[..], rest].concat()
}

fn terms(document: &serde_json::Value) -> Vec<String> {
    let terms = document["equations"][0]["terms"].as_array().unwrap();
    terms
        .iter()
        .map(|entry| entry["term"].as_str().unwrap().to_string())
        .collect()
}

fn data(test: &str) -> Folder {
    let folder = Folder::new(test);
    folder.file("data.csv", planted());
    folder
}

#[test]
fn the_default_finds_the_law_and_says_how_sure_it_is() {
    let document = data("law").run(&fit(&["--json"])).document();
    assert_eq!(document["method"], "best");
    assert_eq!(terms(&document), ["c", "a^2*b"]);
    let equation = &document["equations"][0];
    assert!(equation["probability"].as_f64().unwrap() > 0.5);
    assert!(equation["runner_up"]["terms"].is_array());
    assert!(equation["terms"][0]["inclusion"].as_f64().unwrap() > 0.99);
    for size in document["search"]["sizes"].as_array().unwrap() {
        assert_eq!(size["exact"], true);
        let best = size["best"].as_array().unwrap();
        assert!(best.is_sorted_by_key(|model| model["one_minus_r2"].as_f64()));
    }
}

#[test]
fn best_subset_lists_every_size_and_keeps_what_it_is_told() {
    let folder = data("lists");
    let rest = [
        "--method",
        "best-subset",
        "--max-terms",
        "4",
        "--keep",
        "3",
        "--json",
    ];
    let document = folder.run(&fit(&rest)).document();
    let sizes = document["search"]["sizes"].as_array().unwrap();
    let subsets: Vec<u64> = sizes
        .iter()
        .map(|s| s["subsets"].as_u64().unwrap())
        .collect();
    // 17 monomials of three features with powers up to 2 and degree up to 3, with the constant.
    assert_eq!(document["n_terms"], 17);
    assert_eq!(subsets, [17, 136, 680, 2380]);
    assert!(
        sizes
            .iter()
            .all(|s| s["best"].as_array().unwrap().len() == 3)
    );
    assert_eq!(document["search"]["ended_early"], serde_json::Value::Null);
}

#[test]
fn terms_can_be_forced_in_and_out() {
    let folder = data("forced");
    let with = folder.run(&fit(&["--require", "b", "--json"])).document();
    assert!(terms(&with).contains(&"b".to_string()));
    let without = folder
        .run(&fit(&["--exclude", "a^2*b", "--exclude", "c", "--json"]))
        .document();
    assert!(!terms(&without).contains(&"c".to_string()));
    for size in without["search"]["sizes"].as_array().unwrap() {
        for model in size["best"].as_array().unwrap() {
            let terms = model["terms"].as_array().unwrap();
            assert!(!terms.iter().any(|t| t == "c" || t == "a^2*b"));
        }
    }
}

#[test]
fn noise_yields_no_law_and_exit_status_1() {
    let folder = data("noise");
    let rest = [
        "fit",
        "data.csv",
        "--target",
        "noise",
        "--features",
        "a,b,c",
        "--report",
        "page.html",
    ];
    let ran = folder.run(&rest);
    assert_eq!(ran.status(), 1, "{}", ran.stdout());
    assert!(ran.stdout().starts_with("no equation"));
    assert!(folder.read("page.html").contains("No equation found"));
    let ran = folder.run(&[&rest[..], &["--json"]].concat());
    assert_eq!(ran.status(), 1);
    let document: serde_json::Value = serde_json::from_str(&ran.stdout()).unwrap();
    assert_eq!(document["equations"], serde_json::json!([]));
}

#[test]
fn a_config_file_gives_flags_and_the_command_line_wins() {
    let folder = data("config");
    folder.file(
        "run.toml",
        "method = \"best-subset\"\nmax-terms = 2\nkeep = 4\n",
    );
    let rest = ["--config", "run.toml", "--keep", "2", "--json"];
    let document = folder.run(&fit(&rest)).document();
    assert_eq!(document["method"], "best-subset");
    let sizes = document["search"]["sizes"].as_array().unwrap();
    assert_eq!(sizes.len(), 2);
    assert!(
        sizes
            .iter()
            .all(|s| s["best"].as_array().unwrap().len() == 2)
    );
    folder.file("wrong.toml", "max-termz = 2\n");
    let ran = folder.run(&fit(&["--config", "wrong.toml"]));
    assert_eq!(ran.status(), 2);
    assert!(ran.stderr().contains("max-termz"), "{}", ran.stderr());
}

#[test]
fn a_time_limit_is_kept_and_what_is_not_proven_is_marked() {
    let folder = data("limit");
    let mut wide = String::from("y");
    for j in 0..40 {
        write!(wide, ",x{j}").unwrap();
    }
    let mut state = 1_u64;
    for _ in 0..20 {
        let cells: Vec<String> = (0..=40)
            .map(|_| {
                state = state
                    .wrapping_mul(6_364_136_223_846_793_005)
                    .wrapping_add(1);
                format!("{}", (state >> 33) as f64 / f64::from(1 << 30) - 1.0)
            })
            .collect();
        wide.push('\n');
        wide.push_str(&cells.join(","));
    }
    folder.file("wide.csv", wide);
    let ran = folder.run(&[
        "fit",
        "wide.csv",
        "--target",
        "y",
        "--max-power",
        "1",
        "--max-degree",
        "1",
        "--method",
        "best-subset",
        "--max-terms",
        "14",
        "--time-limit",
        "300ms",
        "--json",
    ]);
    let document: serde_json::Value = serde_json::from_str(&ran.stdout()).unwrap();
    let sizes = document["search"]["sizes"].as_array().unwrap();
    let exact: Vec<bool> = sizes.iter().map(|s| s["exact"] == true).collect();
    assert_eq!(exact.last(), Some(&false), "{exact:?}");
    assert!(exact[..exact.len() - 1].iter().all(|exact| *exact));
    let warnings = document["warnings"].as_array().unwrap();
    assert!(!warnings.is_empty());
}

/// The document without what may differ from run to run.
fn comparable(mut document: serde_json::Value) -> serde_json::Value {
    let search = document["search"].as_object_mut().unwrap();
    search.remove("seconds");
    for size in search["sizes"].as_array_mut().unwrap() {
        size.as_object_mut().unwrap().remove("certificate");
    }
    document
}

/// Starts the command, and kills it as soon as this file is there.
fn killed_once_there_is(file: &str, folder: &Folder, args: &[&str]) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_eqlearn"))
        .args(args)
        .current_dir(folder.path())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    while !folder.path().join(file).exists() && child.try_wait().unwrap().is_none() {
        std::thread::sleep(std::time::Duration::from_millis(1));
    }
    // It may have come to its end first.
    let _ = child.kill();
    child.wait().unwrap();
}

#[test]
fn a_search_that_was_killed_goes_on_from_its_checkpoint() {
    let folder = data("checkpoint");
    let methods = [
        &["--method", "best"][..],
        &["--method", "best-subset", "--max-terms", "6"],
        &["--method", "cs-r2"],
        &["--method", "cs-evidence"],
        &["--method", "cs-evidence", "--prune", "off"],
    ];
    for (place, method) in methods.iter().enumerate() {
        let file = format!("half-{place}.json");
        let clean = folder.run(&fit(&[method, &["--json"][..]].concat()));
        let clean = comparable(clean.document());
        assert!(clean["search"]["sizes"].as_array().unwrap().len() > 1);
        let kept = [method, &["--json", "--checkpoint", &file][..]].concat();
        killed_once_there_is(&file, &folder, &fit(&kept));
        assert!(folder.names().contains(&file), "{method:?}");
        for _ in 0..2 {
            let document = comparable(folder.run(&fit(&kept)).document());
            assert_eq!(document, clean, "{method:?}");
        }
        let others = [&["--exclude", "c"][..], &["--keep", "7"]];
        for other in others {
            let ran = folder.run(&fit(&[&kept[..], other].concat()));
            assert_eq!(ran.status(), 2, "{method:?} {other:?}");
            assert!(ran.stderr().contains(&file), "{}", ran.stderr());
        }
    }
}

#[test]
fn a_method_without_a_search_of_its_own_refuses_a_checkpoint() {
    let folder = data("no-checkpoint");
    for method in [
        "bsr", "ols", "ridge", "lasso", "lars", "stlsq", "sr3", "frols", "ssr", "miosr", "ensemble",
    ] {
        let ran = folder.run(&fit(&["--method", method, "--checkpoint", "half.json"]));
        assert_eq!(ran.status(), 2, "{method}: {}", ran.stdout());
        let said = format!("{method} makes no search that could resume from a --checkpoint");
        assert!(ran.stderr().contains(&said), "{}", ran.stderr());
        let able = "--checkpoint is for best, best-subset, cs-r2, cs-evidence";
        assert!(ran.stderr().contains(able), "{}", ran.stderr());
        assert_eq!(folder.names(), ["data.csv"]);
    }
}

#[test]
fn the_report_is_one_page_that_fetches_nothing() {
    let folder = data("report");
    let ran = folder.run(&fit(&["--report", "page.html", "-q"]));
    assert_eq!(ran.status(), 0, "{}", ran.stderr());
    let page = folder.read("page.html");
    assert!(page.contains("<math") && page.contains("eqlearn fit data.csv --target y"));
    for forbidden in [
        "http://",
        "https://",
        "src=",
        "stylesheet",
        "@import",
        "url(",
    ] {
        assert!(!page.contains(forbidden), "{forbidden}");
    }
    assert!(page.len() < 200_000, "{}", page.len());
}

#[test]
fn the_evidence_is_not_cut_short_by_a_bound_that_it_does_not_have() {
    let folder = data("evidence");
    let chosen = |method| {
        let rest = ["--method", method, "--criterion", "evidence", "--json"];
        terms(&folder.run(&fit(&rest)).document())
    };
    assert_eq!(chosen("best"), ["c", "a^2*b"]);
    assert_eq!(chosen("best"), chosen("best-subset"));
}

#[test]
fn a_settings_file_turns_a_switch_off() {
    let folder = data("switches");
    folder.file(
        "off.toml",
        "method = \"stlsq\"\nunbias = false\ncv = 0\nalpha = 10\n",
    );
    let with = |flags: &[&'static str]| {
        let rest = [flags, &["--json"]].concat();
        folder.run(&fit(&rest)).document()["regression"].clone()
    };
    let off = with(&["--config", "off.toml"]);
    assert_eq!(off["settings"]["unbias"], false);
    let typed = [
        "--method",
        "stlsq",
        "--cv",
        "0",
        "--alpha",
        "10",
        "--unbias=off",
    ];
    assert_eq!(off, with(&typed));
    assert_ne!(off, with(&typed[..6]));
}

#[test]
fn least_squares_on_all_terms_excludes_none() {
    let ran = data("ols-exclude").run(&fit(&["--method", "ols", "--exclude", "a"]));
    assert_eq!(ran.status(), 2);
    assert!(ran.stderr().contains("--only-terms"), "{}", ran.stderr());
}

#[test]
fn a_required_term_does_not_outvote_the_others() {
    let rest = ["--method", "cs-r2", "--require", "a", "--json"];
    let found = terms(&data("required-vote").run(&fit(&rest)).document());
    assert!(found.contains(&"a".to_string()), "{found:?}");
    assert!(found.contains(&"c".to_string()), "{found:?}");
}

#[test]
fn typed_lists_replace_those_of_a_config_file() {
    let folder = data("config-lists");
    folder.file("run.toml", "features = [\"a\", \"b\"]\n");
    let ran = folder.run(&fit(&["--config", "run.toml", "--json"]));
    assert_eq!(terms(&ran.document()), ["c", "a^2*b"]);
}

#[test]
fn the_demo_learns_and_leaves_a_page_and_data_to_go_on_with() {
    let folder = Folder::new("demo");
    let ran = folder.run(&["demo"]);
    assert_eq!(ran.status(), 0, "{}", ran.stderr());
    for line in [
        "x' = -10.0",
        "y' = 2",
        "z' = -2.6",
        "What comes next?",
        "From the last measured state on",
        "starts along the record",
        "The learned system is chaotic: small errors grow e-fold in 1.1 of t",
    ] {
        assert!(ran.stdout().contains(line), "{line}: {}", ran.stdout());
    }
    assert!(folder.read("eqlearn-demo.html").contains("How it moves"));
    let again = ["discover", "eqlearn-demo.csv", "--time", "t", "--json"];
    let document = folder.run(&again).document();
    assert_eq!(document["equations"].as_array().unwrap().len(), 3);
}

#[test]
fn the_demo_of_a_table_finds_a_law_beyond_the_dictionary() {
    let folder = Folder::new("demo-table");
    let ran = folder.run(&["demo", "--table"]);
    assert_eq!(ran.status(), 0, "{}", ran.stderr());
    for line in [
        "1/v = 0.083",
        " 1/S + 0.16",
        " I/S\n",
        "The truth: v = 12 S/",
    ] {
        assert!(ran.stdout().contains(line), "{line}: {}", ran.stdout());
    }
    let page = folder.read("eqlearn-enzyme.html");
    assert!(page.contains("<h1>Equation found</h1>"));
    let again = ["fit", "eqlearn-enzyme.csv", "--target", "v", "--json"];
    let equation = &folder.run(&again).document()["equations"][0];
    assert_eq!(equation["vocabulary"], "powers");
    assert!(equation["probability"].as_f64().unwrap() > 0.95);
}

#[test]
fn completions_and_the_manual_come_from_the_same_definitions() {
    let folder = Folder::new("completions");
    for shell in ["bash", "zsh", "fish"] {
        let ran = folder.run(&["completions", shell]);
        assert_eq!(ran.status(), 0);
        assert!(ran.stdout().contains("max-terms"), "{shell}");
    }
    let manual = folder.run(&["man"]);
    assert_eq!(manual.status(), 0);
    assert!(manual.stdout().contains("fit"));
    let manual = folder.run(&["man", "fit"]);
    assert_eq!(manual.status(), 0);
    assert!(manual.stdout().contains("checkpoint"));
    let ran = folder.run(&["man", "fiz"]);
    assert_eq!(ran.status(), 2);
    assert!(ran.stderr().contains("fit"));
}

#[test]
fn latex_is_the_equation_alone() {
    let ran = data("latex").run(&fit(&["--latex"]));
    assert_eq!(ran.status(), 0);
    assert!(ran.stdout().starts_with("y = "), "{}", ran.stdout());
    assert_eq!(ran.stdout().lines().count(), 1);
}
