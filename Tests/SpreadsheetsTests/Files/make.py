#!/usr/bin/env python3
"""Writes the files of these tests into its own folder: python3 make.py

openpyxl.xlsx    openpyxl 3.1.5
xlsxwriter.xlsx  XlsxWriter 3.3.1: its shared texts, formats, merged cells, a hidden sheet, the calendar from 1904
odfpy.ods        odfpy 1.4.1
calc.ods, calc.xlsx   what LibreOffice 7.4 makes of xlsxwriter.xlsx: soffice --headless --convert-to ods
"""

import datetime
import shutil
import subprocess
import tempfile
import zipfile
from pathlib import Path

import openpyxl
import xlsxwriter
from odf import dc, office, table, text
from odf.opendocument import OpenDocumentSpreadsheet

FOLDER = Path(__file__).resolve().parent
SEEN = datetime.datetime(2026, 10, 11, 18, 30)
DAY = datetime.date(2026, 10, 11)
TIME = datetime.time(18, 30)
HEADER = ["Microchip", "Nome", "Visto", "Giorno", "Ora", "Peso", "Sterilizzato", "Note"]


def with_openpyxl():
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Cani smarriti"
    sheet.append(HEADER)
    sheet.append([380260000123456, "Argo", SEEN, DAY, TIME, 4.5, True, "Città\nVia Roma"])
    sheet.append(["380260000123457", "Bea", None, None, None, 0.1 + 0.2, False, "=1+1"])
    sheet["A5"] = "Fine"
    sheet.merge_cells("A5:C5")
    book.save(FOLDER / "openpyxl.xlsx")


def with_xlsxwriter():
    book = xlsxwriter.Workbook(str(FOLDER / "xlsxwriter.xlsx"), {"date_1904": True})
    hidden = book.add_worksheet("Elenco")
    hidden.write_column(0, 0, ["cane", "gatto"])
    hidden.hide()
    book.add_worksheet("Titolo").write(0, 0, "Canile di Eboli")
    sheet = book.add_worksheet("Cani")
    sheet.activate()
    seen, day, time, code = (book.add_format({"num_format": it}) for it in ["dd/mm/yyyy hh:mm", 14, "[$-410]hh:mm", "00000"])
    sheet.write_row(0, 0, HEADER)
    sheet.write_number(1, 0, 380260000123456)
    bold = book.add_format({"bold": True})
    sheet.write_rich_string(1, 1, "Ar", bold, "go", " il bello")
    sheet.write_datetime(1, 2, SEEN, seen)
    sheet.write_datetime(1, 3, SEEN.replace(hour=0, minute=0), day)
    sheet.write_datetime(1, 4, TIME, time)
    sheet.write_formula(1, 5, "=9/2", None, 4.5)
    sheet.write_boolean(1, 6, True)
    sheet.write_comment(1, 6, "una nota")
    sheet.write_string(1, 7, "a\nb & c")
    sheet.merge_range(3, 0, 3, 2, "unite")
    sheet.write_formula(3, 3, "=1/0", None, "#DIV/0!")
    sheet.write_number(3, 4, 184, code)
    book.close()


def with_odfpy():
    document = OpenDocumentSpreadsheet()
    sheet = table.Table(name="Cani")
    document.spreadsheet.addElement(sheet)

    def row(*cells, **attributes):
        element = table.TableRow(**attributes)
        sheet.addElement(element)
        for cell in cells:
            element.addElement(cell)

    def cell(shown, **attributes):
        element = table.TableCell(**attributes)
        if shown:
            element.addElement(text.P(text=shown))
        return element

    def words(shown):
        return cell(shown, valuetype="string")

    row(*(words(name) for name in HEADER))
    noted = words("Argo")
    note = office.Annotation()
    note.addElement(dc.Date(text="2026-10-11T18:30:00"))
    note.addElement(text.P(text="una nota"))
    noted.addElement(note)
    row(
        cell("3,8E+14", valuetype="float", value="380260000123456"),
        noted,
        cell("11/10/26 18:30", valuetype="date", datevalue="2026-10-11T18:30:00"),
        cell("11/10/26", valuetype="date", datevalue="2026-10-11"),
        cell("18:30", valuetype="time", timevalue="PT18H30M00S"),
        cell("4,5", valuetype="float", value="4.5"),
        cell("VERO", valuetype="boolean", booleanvalue="true"),
        words("Città & Via"),
    )
    row(cell(None, numbercolumnsrepeated=1024), numberrowsrepeated=1_048_573)
    row(words("Fine"))
    document.save(str(FOLDER / "odfpy.ods"))


def with_libreoffice():
    with tempfile.TemporaryDirectory() as folder:
        for kind in ["ods", "xlsx"]:
            subprocess.run(
                ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless", "--convert-to", kind, "--outdir", folder,
                 str(FOLDER / "xlsxwriter.xlsx")],
                check=True,
            )  # fmt: skip
            shorten(Path(folder) / f"xlsxwriter.{kind}", FOLDER / f"calc.{kind}")


def shorten(source, target):
    """Copies a file without the parts that only a window needs."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w") as new:
        for entry in old.infolist():
            if not entry.filename.startswith(("Thumbnails", "Configurations2", "settings.xml", "docProps")):
                new.writestr(entry, old.read(entry))


with_openpyxl()
with_xlsxwriter()
with_odfpy()
if shutil.which("soffice"):
    with_libreoffice()
