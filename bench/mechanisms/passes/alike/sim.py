import random
random.seed(7)

def step(state, rng):
    moved = neighbours(state, rng)
    return [a + b for a, b in zip(state, moved)]

def neighbours(state, rng):
    n = len(state)
    return [(state[i - 1] + state[(i + 1) % n]) * 0.01 + rng.random() for i in range(n)]

def main():
    rng = random.Random(3)
    state = [rng.random() for _ in range(200)]
    for _ in range(12000):
        state = step(state, rng)
        state = [v % 1.0 for v in state]
    print(round(sum(state), 4))

main()
