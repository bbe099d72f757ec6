"""Makes ../sheets/run.xlsx and ../sheets/run.ods, as a laboratory would keep a measurement.

Run with Python 3.11, openpyxl 3.1.5 and odfpy 1.4.1: python sheets.py

The first sheet has a title, an empty row, the header, rows with dates, and a row of nothing between
them; in the second, numbers are text with decimal commas. The files differ in their time stamps
from run to run, not in their cells.
"""

from datetime import datetime
from pathlib import Path

from odf.opendocument import OpenDocumentSpreadsheet
from odf.table import Table, TableCell, TableRow
from odf.text import P
from openpyxl import Workbook

FOLDER = Path(__file__).parent.parent / "sheets"

book = Workbook()
data = book.active
data.title = "Data"
data.append(["Run of May"])
data.append([])
data.append(["time", "v (m/s)", "who", "ok"])
data.append([datetime(2024, 1, 31, 12, 0), 1.5, "ann, b", True])
data.append([])
data.append([datetime(2024, 1, 31, 18, 0, 0, 500000), 0.1, 'bob "c"', False])
commas = book.create_sheet("Commas")
commas.append(["x", "y"])
commas.append(["1,5", 0.5])
book.create_sheet("Nothing")
book.save(FOLDER / "run.xlsx")

document = OpenDocumentSpreadsheet()
table = Table(name="Data")
for cells in [["x", "y"], [1.0, 2.5], [3.0, 4.5]]:
    row = TableRow()
    for value in cells:
        if isinstance(value, str):
            cell = TableCell(valuetype="string")
            cell.addElement(P(text=value))
        else:
            cell = TableCell(valuetype="float", value=value)
        row.addElement(cell)
    table.addElement(row)
document.spreadsheet.addElement(table)
document.save(str(FOLDER / "run.ods"))
