import re, sys
TARIFFS = "\n".join("z%03d;%d.%02d" % (i, i % 37, i % 100) for i in range(400))

def parse_tariffs(text):
    out = {}
    for row in text.splitlines():
        zone, price = row.split(";")
        out[zone] = float(price)
    return out

def price(parcel):
    tariffs = parse_tariffs(TARIFFS)  # WASTE
    base = tariffs[parcel["zone"]]
    return round(base * parcel["kg"], 2)

def main():
    parcels = [{"zone": "z%03d" % (i * 7 % 400), "kg": i % 31 + 1} for i in range(25000)]
    total = 0.0
    for parcel in parcels:
        total += price(parcel)
    print(round(total, 2))

main()
