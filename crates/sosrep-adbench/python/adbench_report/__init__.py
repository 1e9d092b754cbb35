"""The report of an ADBench run: Markdown, figures and tables from the CSV files of its folder.

    python -m adbench_report FOLDER [--out FOLDER] [--readme FILE]

`logs` reads the files, `scoreboard` puts runs in order, `document` writes, `figures` draws. The
other modules are the chapters: functions from data frames to sections, without files of their own.
Equal folders give equal reports.
"""
