"""Data as laboratories keep them: commas, units, dates, text, spreadsheets, codes for nothing.

One table has a law and a motion, so that `fit`, `reduce` and `discover` all read it.
"""

import zipfile
from datetime import datetime, timedelta

import numpy as np
import pandas as pd
import pytest

import eqlearn

pytestmark = pytest.mark.filterwarnings("ignore::eqlearn.EquationWarning")

N = 80


@pytest.fixture
def numbers():
    """A decay of x with the rate 0.5, and y = 3 x² − 2 x of it."""
    noise = np.random.default_rng(4).normal(size=(2, N))
    t = 0.1 * np.arange(N)
    x = 4 * np.exp(-0.5 * t)
    return {"t": t, "x": x + 1e-4 * noise[0], "y": 3 * x**2 - 2 * x + 0.01 * noise[1]}


def plain(value):
    return f"{value:.6f}"


def text(numbers, header="t,x,y", write=plain, between=","):
    rows = zip(*numbers.values(), strict=True)
    lines = [between.join(write(value) for value in row) for row in rows]
    return "\n".join([header, *lines]) + "\n"


def assert_laws_found(data, time="t", **reading):
    """All three functions read the table; what was said of it is returned."""
    study = eqlearn.fit(data, "y", features=["x"], **reading)
    assert study.terms == ["x", "x^2"]
    triangle = eqlearn.reduce(data, "y", features=["x"], **reading)
    assert eqlearn.fit(triangle).terms == ["x", "x^2"]
    found = eqlearn.discover(data, time=time, states=["x"], max_degree=2, **reading)
    assert found.studies["x"].terms == ["x"]
    return study.notes, found


def test_decimal_commas_are_found_out_or_told(numbers, tmp_path):
    path = tmp_path / "comma.csv"
    with_comma = text(numbers, "t;x;y", lambda value: plain(value).replace(".", ","), ";")
    path.write_text(with_comma)
    notes, _ = assert_laws_found(path)
    assert notes == [f"{path} has decimal commas: 1,5 is one and a half"]
    notes, _ = assert_laws_found(path, decimal=",")
    assert notes == []
    with pytest.raises(ValueError, match=r"comma\.csv"):
        eqlearn.fit(path, "y", decimal=".")
    for learn in (
        lambda: eqlearn.fit(path, "y", decimal=";"),
        lambda: eqlearn.reduce(path, "y", decimal=";"),
        lambda: eqlearn.discover(path, time="t", decimal=";"),
    ):
        with pytest.raises(ValueError, match="decimal is ';'; it must be"):
            learn()


def test_thousands_may_be_set_apart(numbers, tmp_path):
    path = tmp_path / "thousands.csv"
    large = {**numbers, "y": 1e4 * numbers["y"]}
    path.write_text(text(large, "t;x;y", lambda value: f"{value:,.5f}", ";"))
    notes, _ = assert_laws_found(path)
    assert notes == [f"{path} has commas between thousands: 1,234 is 1234"]


@pytest.mark.parametrize("header", ["t (s),x (mm),y [kN]", "t,x,y\ns,mm,kN"])
def test_units_of_a_header_are_no_part_of_names(header, numbers, tmp_path):
    path = tmp_path / "units.csv"
    path.write_text(text(numbers, header))
    notes, _ = assert_laws_found(path)
    assert notes == ["units by the header: t in s, x in mm, y in kN"]


def test_dates_are_times(numbers, tmp_path):
    path = tmp_path / "dates.csv"
    start = datetime(2024, 1, 31, 23, 59, 55)
    dates = [(start + timedelta(seconds=float(t))).isoformat() for t in numbers["t"]]
    pd.DataFrame({**numbers, "t": dates}).to_csv(path, index=False)
    _, found = assert_laws_found(path)
    assert found.notes == ["t is in seconds since 2024-01-31T23:59:55"]
    rate = found.studies["x"].coefficients["x"]
    assert abs(rate + 0.5) < 0.01


def test_categories_are_columns_of_zeros_and_ones(tmp_path):
    rng = np.random.default_rng(5)
    load = rng.uniform(1, 5, 60)
    material = np.array(["steel", "brass", "oak wood"])[np.arange(60) % 3]
    soft = np.array([0.2, 0.4, 1.1])[np.arange(60) % 3]
    bars = pd.DataFrame(
        {"load": load, "material": material, "bend": soft * load + 0.002 * rng.normal(size=60)}
    )
    path = tmp_path / "bars.csv"
    bars.to_csv(path, index=False)
    for categories in ("material", ["material"]):
        study = eqlearn.fit(path, "bend", categories=categories, max_degree=2)
        assert study.terms == ["load", "load*material_brass", "load*`material_oak wood`"]
    # Without a word the column is left out with one.
    assert eqlearn.fit(path, "bend", max_degree=2).notes == [
        'left out, not numbers: "material" (text)'
    ]


@pytest.mark.parametrize("kind", ["xlsx", "ods"])
def test_spreadsheets_are_read_by_sheet(kind, numbers, tmp_path):
    path = tmp_path / f"run.{kind}"
    columns = [column.tolist() for column in numbers.values()]
    cells = [list(numbers), *zip(*columns, strict=True)]
    {"xlsx": write_xlsx, "ods": write_ods}[kind](path, {"About": [["a run"]], "Run": cells})
    assert_laws_found(path, sheet="Run")
    stable = eqlearn.stability(path, time="t", states=["x"], sheet="Run", max_degree=2)
    assert stable.frequencies == {"x": {"x": 1.0}}
    with pytest.raises(ValueError, match='did you mean "Run"'):
        eqlearn.fit(path, "y", sheet="Runs")


def test_codes_for_missing_values_are_told(numbers, tmp_path):
    path = tmp_path / "codes.csv"
    numbers["x"][40], numbers["x"][41] = -999, -888
    path.write_text(text(numbers))
    for data in (path, pd.read_csv(path)):
        for learn in (
            lambda data: eqlearn.fit(data, "y", missing_value=-999),
            lambda data: eqlearn.reduce(data, "y", missing_value=-999),
            lambda data: eqlearn.discover(data, time="t", missing_value=-999),
        ):
            with pytest.raises(ValueError, match="row 41"):
                learn(data)
        notes, found = assert_laws_found(data, missing_value=[-999, -888], missing="drop")
        assert "2 rows with missing values were left out" in notes
        assert "2 rows with missing values were left out" in found.notes


def write_xlsx(path, sheets):
    """The least that Excel's format asks for."""

    def cell(value):
        if isinstance(value, str):
            return f'<c t="inlineStr"><is><t>{value}</t></is></c>'
        return f"<c><v>{value!r}</v></c>"

    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    package = "http://schemas.openxmlformats.org/package/2006"
    main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    named = list(enumerate(sheets, 1))
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{package}/content-types">'
        '<Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{kind}.sheet.main+xml"/>'
        + "".join(
            f'<Override PartName="/xl/sheet{i}.xml" ContentType="{kind}.worksheet+xml"/>'
            for i, _ in named
        )
        + "</Types>",
        "_rels/.rels": f'<Relationships xmlns="{package}/relationships">'
        f'<Relationship Id="r1" Type="{office}/officeDocument" Target="xl/workbook.xml"/>'
        "</Relationships>",
        "xl/workbook.xml": f'<workbook xmlns="{main}" xmlns:r="{office}"><sheets>'
        + "".join(f'<sheet name="{name}" sheetId="{i}" r:id="r{i}"/>' for i, name in named)
        + "</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{package}/relationships">'
        + "".join(
            f'<Relationship Id="r{i}" Type="{office}/worksheet" Target="sheet{i}.xml"/>'
            for i, _ in named
        )
        + "</Relationships>",
    }
    for i, rows in enumerate(sheets.values(), 1):
        body = "".join(f"<row>{''.join(map(cell, row))}</row>" for row in rows)
        parts[f"xl/sheet{i}.xml"] = (
            f'<worksheet xmlns="{main}"><sheetData>{body}</sheetData></worksheet>'
        )
    write_zip(path, parts)


def write_ods(path, sheets):
    """The least that the OpenDocument format asks for."""

    def cell(value):
        if isinstance(value, str):
            kind, inside = 'office:value-type="string"', f"<text:p>{value}</text:p>"
        else:
            kind, inside = f'office:value-type="float" office:value="{value!r}"', ""
        return f"<table:table-cell {kind}>{inside}</table:table-cell>"

    space = "urn:oasis:names:tc:opendocument:xmlns"
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    tables = "".join(
        f'<table:table table:name="{name}">'
        + "".join(f"<table:table-row>{''.join(map(cell, row))}</table:table-row>" for row in rows)
        + "</table:table>"
        for name, rows in sheets.items()
    )
    parts = {
        "mimetype": kind,
        "META-INF/manifest.xml": f'<manifest:manifest xmlns:manifest="{space}:manifest:1.0">'
        f'<manifest:file-entry manifest:full-path="/" manifest:media-type="{kind}"/>'
        "</manifest:manifest>",
        "content.xml": f'<office:document-content xmlns:office="{space}:office:1.0" '
        f'xmlns:table="{space}:table:1.0" xmlns:text="{space}:text:1.0">'
        f"<office:body><office:spreadsheet>{tables}</office:spreadsheet></office:body>"
        "</office:document-content>",
    }
    write_zip(path, parts)


def write_zip(path, parts):
    with zipfile.ZipFile(path, "w") as archive:
        for name, content in parts.items():
            archive.writestr(name, content)
