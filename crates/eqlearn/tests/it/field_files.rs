//! Fields from files of every kind, and what is said of files that hold none.

use std::path::PathBuf;

use eqlearn::data::field::{Boundary, FieldOptions, FieldRead, read_field};

fn options(axes: &[&str], quantities: &[&str]) -> FieldOptions {
    let names = |names: &[&str]| names.iter().map(ToString::to_string).collect();
    FieldOptions {
        axes: names(axes),
        quantities: names(quantities),
        ..FieldOptions::default()
    }
}

fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/data/fields")
        .join(name)
}

fn read(name: &str, options: &FieldOptions) -> FieldRead {
    read_field(file(name), options).unwrap()
}

/// What is said of a file in the folder of the tests, without that folder.
fn refused(name: &str, options: &FieldOptions) -> String {
    let error = read_field(file(name), options).unwrap_err().to_string();
    error.replace(&file("").display().to_string(), "")
}

/// The largest distance to sin(x) + t/10, with the number of points that are missing.
fn off(read: &FieldRead) -> (f64, usize) {
    let field = &read.field;
    assert_eq!(field.shape(), [9, 12]);
    let (mut off, mut missing) = (0.0_f64, 0);
    for (i, value) in field.quantities()[0].values.iter().enumerate() {
        let (t, x) = (0.25 * (i / 12) as f64, 0.5 * (i % 12) as f64);
        if value.is_nan() {
            assert_eq!((i / 12, i % 12), (4, 5));
            missing += 1;
        } else {
            off = off.max((value - x.sin() - t / 10.0).abs());
        }
    }
    // What rounding leaves is nothing.
    (if off < 1e-15 { 0.0 } else { off }, missing)
}

#[test]
fn arrays_of_numpy_are_read_by_name() {
    let plain = read("plain.npz", &options(&["t", "x"], &["u"]));
    assert_eq!(off(&plain), (0.0, 0));
    assert!(plain.notes.is_empty());
    // Nothing but the axes and one array is there: that is the field.
    assert_eq!(read("plain.npz", &options(&["t", "x"], &[])), plain);
}

#[test]
fn an_array_in_another_order_is_turned_and_that_is_said() {
    let turned = read("turned.npz", &options(&["t", "x"], &["u"]));
    assert_eq!(off(&turned), (0.0, 0));
    insta::assert_snapshot!(
        turned.notes.join("\n"),
        @"u has its directions in another order than the axes, and was turned: it is 12 × 9 in the \
          file"
    );
}

#[test]
fn a_lone_array_has_axes_of_equal_steps() {
    let lone = read("lone.npy", &options(&["t=0.25", "x=0.5"], &["u"]));
    assert_eq!(off(&lone), (0.0, 0));
}

#[test]
fn names_and_units_of_netcdf_are_used() {
    let mut asked = options(&["time", "x"], &["u"]);
    asked.periodic = vec!["x".into()];
    let classic = read("classic.nc", &asked);
    assert_eq!(off(&classic), (0.0, 0));
    let axes = classic.field.axes();
    assert_eq!(axes[0].unit.as_deref(), Some("s"));
    assert_eq!(axes[1].unit.as_deref(), Some("m"));
    assert_eq!(axes[1].boundary, Boundary::Periodic);
}

#[test]
fn packed_values_are_unpacked_and_missing_ones_are_missing() {
    let (off, missing) = off(&read("packed.nc", &options(&["t", "x"], &["u"])));
    assert!(off < 5.1e-5, "{off}");
    assert_eq!(missing, 1);
}

#[test]
fn hdf_without_names_of_directions_is_read() {
    assert_eq!(
        off(&read("plain.h5", &options(&["t", "x"], &["u"]))),
        (0.0, 0)
    );
}

#[test]
fn a_long_table_is_put_on_its_grid() {
    let long = read("long.csv", &options(&["t", "x"], &["u"]));
    assert_eq!(off(&long), (0.0, 1));
    assert_eq!(long.field.axes()[1].unit.as_deref(), Some("m"));
    insta::assert_snapshot!(
        long.notes.join("; "),
        @"units by the header: x in m, t in s; 1 row with missing values was left out"
    );
}

#[test]
fn what_is_not_there_is_named() {
    let no_axis = refused("plain.npz", &options(&["T", "x"], &["u"]));
    insta::assert_snapshot!(
        no_axis,
        @"plain.npz has no array \"T\"; did you mean \"t\"? it has t, x, u"
    );
    let no_field = refused("classic.nc", &options(&["time", "x"], &["v"]));
    insta::assert_snapshot!(no_field, @"classic.nc has no array \"v\"; it has u, x, time");
    let one_axis = refused("plain.npz", &options(&["t"], &["u"]));
    insta::assert_snapshot!(
        one_axis,
        @"a field needs time and one to three directions of space; there is 1 axis given"
    );
    let step = refused("lone.npy", &options(&["t=fast", "x=0.5"], &["u"]));
    insta::assert_snapshot!(step, @"\"fast\" is no step of the axis \"t\"; write it as in t=0.1");
    let unnamed = refused("lone.npy", &options(&["t", "x"], &["u"]));
    insta::assert_snapshot!(
        unnamed,
        @"lone.npy is one array without coordinates; give the axes by their steps, as in \
          t=0.1"
    );
    let column = refused("long.csv", &options(&["t", "y"], &["u"]));
    insta::assert_snapshot!(column, @"column \"y\" is not in the table; it has x, t, u");
    let mut asked = options(&["t", "x"], &["u"]);
    asked.periodic = vec!["y".into()];
    insta::assert_snapshot!(
        refused("plain.npz", &asked),
        @"\"y\" is none of the directions of space: x"
    );
    asked.periodic = vec!["t".into()];
    insta::assert_snapshot!(
        refused("plain.npz", &asked),
        @"time (\"t\") cannot be periodic; only directions of space can"
    );
}

#[test]
fn what_does_not_fit_together_is_named() {
    let twice = refused("plain.npz", &options(&["t", "x"], &["u", "u"]));
    insta::assert_snapshot!(
        twice,
        @"\"u\" is given twice; axes and quantities need different names"
    );
    let axes = refused("plain.npz", &options(&["t", "u"], &["x"]));
    insta::assert_snapshot!(
        axes,
        @"the axis \"u\" is an array of 9 × 12; coordinates are a vector, so give one of \
          its rows or columns"
    );
    let shape = refused("plain.npz", &options(&["t", "x"], &["t"]));
    insta::assert_snapshot!(
        shape,
        @"\"t\" is an array of 9, but the axes have 9 in t × 12 in x; name the axes in the \
          order of the array's directions, time first"
    );
    let complex = refused("complex.npz", &options(&["t", "x"], &["u"]));
    insta::assert_snapshot!(
        complex,
        @"complex.npz cannot be used: its array \"u\" holds complex numbers (save real and \
          imaginary parts as two arrays), and a field needs real numbers"
    );
}

#[test]
fn files_that_hold_no_field_are_refused() {
    let folder = std::env::temp_dir().join(format!("eqlearn-fields-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let said = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        let error = read_field(&path, &options(&["t", "x"], &["u"])).unwrap_err();
        error
            .to_string()
            .replace(&format!("{}/", folder.display()), "")
    };
    insta::assert_snapshot!(
        said("text.nc", b"t,x,u\n"),
        @"text.nc is not a readable NetCDF or HDF5 file: invalid NetCDF magic bytes"
    );
    let whole = std::fs::read(file("packed.nc")).unwrap();
    let cut = said("cut.nc", &whole[..whole.len() / 2]);
    assert!(
        cut.starts_with("cut.nc is not a readable NetCDF or HDF5 file: "),
        "{cut}"
    );
    let archive = std::fs::read(file("plain.npz")).unwrap();
    let cut = said("cut.npz", &archive[..archive.len() / 2]);
    assert!(
        cut.starts_with("cut.npz is not a readable NumPy file: "),
        "{cut}"
    );
    let sparse: Vec<String> = (0..20).map(|i| format!("{i},{i},1")).collect();
    let sparse = sparse.join("\n");
    insta::assert_snapshot!(
        said("sparse.csv", format!("t,x,u\n{sparse}").as_bytes()),
        @"the coordinates of sparse.csv span a grid with 20 in t × 20 in x, but only 20 of \
          its points have a row; a field needs values on a grid"
    );
    insta::assert_snapshot!(
        said("twice.csv", b"t,x,u\n0,0,1\n0,1,2\n1,0,3\n0,1,4\n"),
        @"rows 2 and 4 of twice.csv are both at t = 0, x = 1; a field has one value at \
          each point"
    );
    insta::assert_snapshot!(
        said("short.csv", b"t,x,u\n0,0,1\n0,1,2\n1,0,3\n1,1,4\n"),
        @"the axis \"t\" has 2 points; at least 8 are needed"
    );
    std::fs::remove_dir_all(&folder).unwrap();
}
