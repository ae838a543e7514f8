import sys
from jsonschema import Draft7Validator

SCHEMA = {"type": "object", "required": ["id", "lines"], "properties": {"id": {"type": "integer"}, "lines": {"type": "array", "items": {
    "type": "object", "properties": {"sku": {"type": "string"}, "n": {"type": "integer", "minimum": 1}}}}}}
KEPT = Draft7Validator(SCHEMA)


def valid(order, waste):
    if waste:
        Draft7Validator.check_schema(SCHEMA)
        return Draft7Validator(SCHEMA).is_valid(order)
    return KEPT.is_valid(order)


waste = sys.argv[1] == "waste"
print(sum(valid({"id": n, "lines": [{"sku": "x", "n": 1}] * 5}, waste) for n in range(1200 if waste else 9000)))
