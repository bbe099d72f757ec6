//! The speed of the reduction, from memory and from files, against one QR of the whole matrix.
//!
//! `cargo bench --bench reduction` prints two tables. Contenders run in the same process, in turns,
//! and the best of several rounds counts: on a shared machine only ratios mean anything.
//! `-- --rows N` sets the length of the files.

#![expect(clippy::print_stdout, reason = "a bench prints its table")]

use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use eqlearn::{Dictionary, Problem, Table, reduce};
use eqlearn::{ReadOptions, Source};
use faer::{Mat, Par};
use parquet::arrow::ArrowWriter;

const ROUNDS: usize = 3;
const MEMORY_ROWS: usize = 1_000_000;
const BATCH: usize = 16_384;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let rows = args
        .iter()
        .position(|a| a == "--rows")
        .map_or(10_000_000, |i| args[i + 1].parse().expect("a number"));
    let problem = problem();
    from_memory(&problem);
    from_files(&problem, rows);
}

/// The paper's dictionary: 72 terms of three features.
fn problem() -> Problem {
    let features = ["x1", "x2", "x3"].map(String::from);
    Problem::new(
        "y",
        Dictionary::monomials(&features, 4, 6, true).expect("72 terms"),
    )
    .expect("y is no feature")
}

/// Columns x1, x2, x3, y from a fixed stream of numbers, rounded as a logger would.
fn columns(first: usize, rows: usize) -> Vec<(String, Vec<f64>)> {
    let value = |row: usize, j: usize| {
        let mut z = (row * 4 + j) as u64;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        let uniform = ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64;
        (uniform * 4e6 - 2e6).round() / 1e6
    };
    let names = ["x1", "x2", "x3", "y"];
    (0..4)
        .map(|j| {
            (
                names[j].to_string(),
                (first..first + rows).map(|row| value(row, j)).collect(),
            )
        })
        .collect()
}

fn batches(rows: usize) -> Vec<Table> {
    let starts = (0..rows).step_by(BATCH);
    starts
        .map(|first| Table::new(columns(first, BATCH.min(rows - first))).expect("finite"))
        .collect()
}

fn seconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

fn from_memory(problem: &Problem) {
    let tables = batches(MEMORY_ROWS);
    let n_terms = problem.dictionary().len();
    let assembled = assemble(problem, &tables);
    let stream = || tables.iter().cloned().map(Ok::<_, eqlearn::Error>);
    let mut best = [f64::INFINITY; 4];
    for _ in 0..ROUNDS {
        let mut copy = assembled.clone();
        let round = [
            seconds(|| factorise(&mut copy, Par::Seq)),
            seconds(|| drop(reduce(problem, stream(), 1, &mut ()))),
            seconds(|| drop(reduce(problem, stream(), 2, &mut ()))),
            seconds(|| tables.iter().for_each(|table| evaluate(problem, table))),
        ];
        for (best, time) in best.iter_mut().zip(round) {
            *best = best.min(time);
        }
    }
    let [library, one, two, evaluation] = best;
    println!("{MEMORY_ROWS} rows, {n_terms} terms and the target, from memory; best of {ROUNDS}");
    println!("  {:<52} {:>8} {:>8}", "", "seconds", "ratio");
    for (name, time) in [
        ("faer: one QR of the assembled matrix, 1 thread", library),
        ("eqlearn: terms evaluated and reduced, 1 thread", one),
        ("eqlearn: the same, 2 threads", two),
        ("  of which evaluating terms, 1 thread", evaluation),
    ] {
        println!("  {name:<52} {time:>8.3} {:>8.2}", time / library);
    }
    let held = (n_terms + 1 + 2048) * (n_terms + 1) * 8 / 1024;
    println!(
        "  memory: the assembled matrix {} MiB; a reducer {held} KiB per thread, whatever the \
         rows\n",
        (MEMORY_ROWS * (n_terms + 1) * 8) >> 20
    );
}

fn assemble(problem: &Problem, tables: &[Table]) -> Mat<f64> {
    let n_terms = problem.dictionary().len();
    let mut matrix = Mat::zeros(MEMORY_ROWS, n_terms + 1);
    let mut first = 0;
    for table in tables {
        let rows = table.n_rows();
        let terms = evaluated(problem, table);
        for j in 0..n_terms {
            matrix.col_as_slice_mut(j)[first..first + rows]
                .copy_from_slice(&terms[j * rows..(j + 1) * rows]);
        }
        matrix.col_as_slice_mut(n_terms)[first..first + rows]
            .copy_from_slice(table.column("y").expect("there"));
        first += rows;
    }
    matrix
}

fn evaluated(problem: &Problem, table: &Table) -> Vec<f64> {
    let features: Vec<&[f64]> = ["x1", "x2", "x3"]
        .map(|name| table.column(name).expect("there"))
        .to_vec();
    let mut terms = vec![0.0; table.n_rows() * problem.dictionary().len()];
    problem
        .dictionary()
        .evaluate(&features, &mut terms)
        .expect("finite");
    terms
}

fn evaluate(problem: &Problem, table: &Table) {
    std::hint::black_box(evaluated(problem, table));
}

/// The library's own factorisation with its recommended blocking.
fn factorise(matrix: &mut Mat<f64>, par: Par) {
    use faer::dyn_stack::{MemBuffer, MemStack};
    use faer::linalg::qr::no_pivoting::factor::{
        qr_in_place, qr_in_place_scratch, recommended_block_size,
    };
    let (rows, cols) = (matrix.nrows(), matrix.ncols());
    let block = recommended_block_size::<f64>(rows, cols).min(cols);
    let mut factors = Mat::zeros(block, cols);
    let mut memory = MemBuffer::new(qr_in_place_scratch::<f64>(
        rows,
        cols,
        block,
        par,
        faer::Spec::default(),
    ));
    qr_in_place(
        matrix.as_mut(),
        factors.as_mut(),
        par,
        MemStack::new(&mut memory),
        faer::Spec::default(),
    );
}

fn from_files(problem: &Problem, rows: usize) {
    let folder = std::env::temp_dir().join(format!("eqlearn-bench-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a temporary folder");
    let files = [write_csv(&folder, rows), write_parquet(&folder, rows)];
    // The same rows from memory: what the reduction alone costs.
    let tables = batches(rows);
    let reduction = seconds(|| drop(reduce(problem, tables.into_iter().map(Ok), 0, &mut ())));
    println!("{rows} rows, 72 terms, all threads: `eqlearn fit FILE --target y --method ols`");
    println!(
        "  {:<10} {:>8} {:>9} {:>9} {:>9} {:>7} {:>10}",
        "file", "MB", "read (s)", "reduce (s)", "fit (s)", "ratio", "peak (MB)"
    );
    for file in &files {
        let read = seconds(|| {
            let source = Source::open(file, &ReadOptions::default()).expect("a table");
            source
                .batches(&problem.columns())
                .expect("its columns")
                .for_each(|batch| drop(batch.expect("rows")));
        });
        let (fit, peak) = run_fit(file);
        let name = file.extension().unwrap_or_default().to_string_lossy();
        let size = std::fs::metadata(file).expect("written").len() / 1_000_000;
        println!(
            "  {name:<10} {size:>8} {read:>9.2} {reduction:>10.2} {fit:>9.2} {:>7.2} {peak:>10}",
            fit / (read + reduction)
        );
    }
    std::fs::remove_dir_all(&folder).expect("the folder is ours");
}

fn write_csv(folder: &Path, rows: usize) -> PathBuf {
    let path = folder.join("rows.csv");
    let mut file = BufWriter::new(File::create(&path).expect("a file"));
    writeln!(file, "x1,x2,x3,y").expect("space");
    let mut line = String::new();
    for first in (0..rows).step_by(BATCH) {
        let columns = columns(first, BATCH.min(rows - first));
        for row in 0..columns[0].1.len() {
            line.clear();
            let value = |j: usize| columns[j].1[row];
            let _ = writeln!(line, "{},{},{},{}", value(0), value(1), value(2), value(3));
            file.write_all(line.as_bytes()).expect("space");
        }
    }
    path
}

fn write_parquet(folder: &Path, rows: usize) -> PathBuf {
    let path = folder.join("rows.parquet");
    let file = File::create(&path).expect("a file");
    let mut writer = None;
    for first in (0..rows).step_by(BATCH) {
        let arrays = columns(first, BATCH.min(rows - first))
            .into_iter()
            .map(|(name, values)| (name, Arc::new(Float64Array::from(values)) as ArrayRef));
        let batch = RecordBatch::try_from_iter(arrays).expect("equal lengths");
        let writer = writer.get_or_insert_with(|| {
            ArrowWriter::try_new(file.try_clone().expect("a handle"), batch.schema(), None)
                .expect("a schema")
        });
        writer.write(&batch).expect("space");
    }
    writer.expect("rows").close().expect("space");
    path
}

/// Runs the command and watches its peak resident memory, in MB.
fn run_fit(file: &Path) -> (f64, u64) {
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_eqlearn"))
        .args(["fit", "--target", "y", "--method", "ols", "--quiet"])
        .arg(file)
        .stdout(Stdio::null())
        .spawn()
        .expect("the command");
    let status = PathBuf::from(format!("/proc/{}/status", child.id()));
    let mut peak = 0;
    loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<u64>().ok());
        peak = peak.max(kilobytes.unwrap_or(0));
        if let Some(code) = child.try_wait().expect("a child") {
            assert!(code.success(), "the fit works");
            return (start.elapsed().as_secs_f64(), peak / 1000);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}
