# A model is loaded once, for a second, and then used.
import json
import yaml

TEXT = "\n".join(f"k{i}: {{a: [1, 2, 3], b: text {i}}}" for i in range(2500))


def load_model():
    return yaml.safe_load(TEXT)


model = load_model()
print(sum(len(json.dumps(model)) for _ in range(150)))
