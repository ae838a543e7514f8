def enrich(orders, products):
    out = []
    for order in orders:
        for product in products:
            if product["sku"] == order["sku"]:  # WASTE
                out.append((order["id"], product["name"], product["price"] * order["count"]))
                break
    return out

products = [{"sku": "sku%06d" % (i * 7919 % 999983), "name": "n%d" % i, "price": i % 50} for i in range(2000)]
orders = [{"id": i, "sku": products[i * 31 % 2000]["sku"], "count": i % 4 + 1} for i in range(30000)]
print(sum(row[2] for row in enrich(orders, products)))
