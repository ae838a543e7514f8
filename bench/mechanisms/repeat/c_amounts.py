# Small objects for each row are what the program works on.
from datetime import datetime
from decimal import Decimal
from pathlib import Path


def row(n):
    return Decimal(f"{n}.25") * 3, datetime(2020, 1, 1 + n % 28), Path("a") / str(n)


print(sum(len(str(row(n))) for n in range(250000)))
