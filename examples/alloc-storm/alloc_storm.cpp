// A symbolic differentiator that allocates every node of every tree on the
// heap, one at a time, from more than a hundred places: no single call of
// operator new is hot, their sum is.
//
// usage: alloc-storm [ROUNDS]

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

namespace {

enum class Op : uint8_t {
  Const, Var, Add, Sub, Mul, Div, Neg, Square, Cube, Sqrt, Exp, Log,
  Sin, Cos, Tan, Sinh, Cosh, Tanh, Asin, Acos, Atan, Recip, Logistic, Softplus,
  Count,
};

struct Node;
using Expr = std::unique_ptr<Node>;

struct Node {
  Op op;
  double value = 0;
  Expr left, right;
};

Expr num(double v) { return Expr(new Node{Op::Const, v, nullptr, nullptr}); }
Expr var() { return Expr(new Node{Op::Var, 0, nullptr, nullptr}); }
Expr un(Op op, Expr a) { return Expr(new Node{op, 0, std::move(a), nullptr}); }
Expr bin(Op op, Expr a, Expr b) { return Expr(new Node{op, 0, std::move(a), std::move(b)}); }

Expr clone(const Node& e) {
  return Expr(new Node{e.op, e.value, e.left ? clone(*e.left) : nullptr,
                       e.right ? clone(*e.right) : nullptr});
}

Expr diff(const Node& e);

// One rule for each operation: e' in terms of e's operands u (and v) and of
// their derivatives.
using Rule = Expr (*)(const Node& u, const Node* v);

Expr dAdd(const Node& u, const Node* v) { return bin(Op::Add, diff(u), diff(*v)); }
Expr dSub(const Node& u, const Node* v) { return bin(Op::Sub, diff(u), diff(*v)); }
Expr dMul(const Node& u, const Node* v) {
  return bin(Op::Add, bin(Op::Mul, diff(u), clone(*v)), bin(Op::Mul, clone(u), diff(*v)));
}
Expr dDiv(const Node& u, const Node* v) {
  Expr top = bin(Op::Sub, bin(Op::Mul, diff(u), clone(*v)), bin(Op::Mul, clone(u), diff(*v)));
  return bin(Op::Div, std::move(top), un(Op::Square, clone(*v)));
}
Expr dNeg(const Node& u, const Node*) { return un(Op::Neg, diff(u)); }
Expr dSquare(const Node& u, const Node*) {
  return bin(Op::Mul, bin(Op::Mul, num(2), clone(u)), diff(u));
}
Expr dCube(const Node& u, const Node*) {
  return bin(Op::Mul, bin(Op::Mul, num(3), un(Op::Square, clone(u))), diff(u));
}
Expr dSqrt(const Node& u, const Node*) {
  return bin(Op::Div, diff(u), bin(Op::Mul, num(2), un(Op::Sqrt, clone(u))));
}
Expr dExp(const Node& u, const Node*) { return bin(Op::Mul, un(Op::Exp, clone(u)), diff(u)); }
Expr dLog(const Node& u, const Node*) { return bin(Op::Div, diff(u), clone(u)); }
Expr dSin(const Node& u, const Node*) { return bin(Op::Mul, un(Op::Cos, clone(u)), diff(u)); }
Expr dCos(const Node& u, const Node*) {
  return un(Op::Neg, bin(Op::Mul, un(Op::Sin, clone(u)), diff(u)));
}
Expr dTan(const Node& u, const Node*) {
  Expr slope = bin(Op::Add, num(1), un(Op::Square, un(Op::Tan, clone(u))));
  return bin(Op::Mul, std::move(slope), diff(u));
}
Expr dSinh(const Node& u, const Node*) { return bin(Op::Mul, un(Op::Cosh, clone(u)), diff(u)); }
Expr dCosh(const Node& u, const Node*) { return bin(Op::Mul, un(Op::Sinh, clone(u)), diff(u)); }
Expr dTanh(const Node& u, const Node*) {
  Expr slope = bin(Op::Sub, num(1), un(Op::Square, un(Op::Tanh, clone(u))));
  return bin(Op::Mul, std::move(slope), diff(u));
}
Expr dAsin(const Node& u, const Node*) {
  Expr root = un(Op::Sqrt, bin(Op::Sub, num(1), un(Op::Square, clone(u))));
  return bin(Op::Div, diff(u), std::move(root));
}
Expr dAcos(const Node& u, const Node*) {
  Expr root = un(Op::Sqrt, bin(Op::Sub, num(1), un(Op::Square, clone(u))));
  return un(Op::Neg, bin(Op::Div, diff(u), std::move(root)));
}
Expr dAtan(const Node& u, const Node*) {
  return bin(Op::Div, diff(u), bin(Op::Add, num(1), un(Op::Square, clone(u))));
}
Expr dRecip(const Node& u, const Node*) {
  return un(Op::Neg, bin(Op::Div, diff(u), un(Op::Square, clone(u))));
}
Expr dLogistic(const Node& u, const Node*) {
  Expr rest = bin(Op::Sub, num(1), un(Op::Logistic, clone(u)));
  return bin(Op::Mul, bin(Op::Mul, un(Op::Logistic, clone(u)), std::move(rest)), diff(u));
}
Expr dSoftplus(const Node& u, const Node*) {
  return bin(Op::Mul, un(Op::Logistic, clone(u)), diff(u));
}

const Rule rules[] = {
    nullptr, nullptr, dAdd, dSub, dMul, dDiv, dNeg, dSquare, dCube, dSqrt, dExp, dLog,
    dSin, dCos, dTan, dSinh, dCosh, dTanh, dAsin, dAcos, dAtan, dRecip, dLogistic, dSoftplus,
};
static_assert(sizeof rules / sizeof *rules == static_cast<size_t>(Op::Count));

Expr diff(const Node& e) {
  if (e.op == Op::Const) return num(0);
  if (e.op == Op::Var) return num(1);
  return rules[static_cast<size_t>(e.op)](*e.left, e.right.get());
}

bool is(const Expr& e, double v) { return e->op == Op::Const && e->value == v; }

// simplify rebuilds a tree without its trivial sums and products.
Expr simplify(const Node& e) {
  if (e.op == Op::Const) return num(e.value);
  if (e.op == Op::Var) return var();
  Expr a = simplify(*e.left);
  Expr b = e.right ? simplify(*e.right) : nullptr;
  switch (e.op) {
    case Op::Add:
      if (is(a, 0)) return b;
      if (is(b, 0)) return a;
      if (a->op == Op::Const && b->op == Op::Const) return num(a->value + b->value);
      return bin(Op::Add, std::move(a), std::move(b));
    case Op::Sub:
      if (is(b, 0)) return a;
      if (is(a, 0)) return un(Op::Neg, std::move(b));
      return bin(Op::Sub, std::move(a), std::move(b));
    case Op::Mul:
      if (is(a, 0) || is(b, 0)) return num(0);
      if (is(a, 1)) return b;
      if (is(b, 1)) return a;
      return bin(Op::Mul, std::move(a), std::move(b));
    case Op::Div:
      if (is(a, 0)) return num(0);
      if (is(b, 1)) return a;
      return bin(Op::Div, std::move(a), std::move(b));
    case Op::Neg:
      if (a->op == Op::Neg) return std::move(a->left);
      if (a->op == Op::Const) return num(-a->value);
      return un(Op::Neg, std::move(a));
    default:
      return b ? bin(e.op, std::move(a), std::move(b)) : un(e.op, std::move(a));
  }
}

size_t count(const Node& e) {
  return 1 + (e.left ? count(*e.left) : 0) + (e.right ? count(*e.right) : 0);
}

// random gives the same sequence everywhere.
struct Random {
  uint64_t state;
  uint32_t next(uint32_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>((state >> 33) % below);
  }
};

Expr grow(Random& r, int depth) {
  if (depth == 0) return r.next(3) ? var() : num(1 + r.next(9));
  switch (r.next(3)) {
    case 0: {
      Op op = static_cast<Op>(static_cast<uint32_t>(Op::Add) + r.next(4));
      return bin(op, grow(r, depth - 1), grow(r, depth - 1));
    }
    default: {
      uint32_t first = static_cast<uint32_t>(Op::Neg);
      Op op = static_cast<Op>(first + r.next(static_cast<uint32_t>(Op::Count) - first));
      return un(op, grow(r, depth - 1));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  int rounds = argc > 1 ? std::atoi(argv[1]) : 4000;
  Random r{20240607};
  uint64_t nodes = 0;
  for (int i = 0; i < rounds; i++) {
    Expr e = grow(r, 7);
    for (int order = 0; order < 3; order++) {
      Expr d = diff(*e);
      e = simplify(*d);
      if (count(*e) > 20000) break;
    }
    nodes += count(*e);
  }
  std::printf("%d expressions, %llu nodes in their derivatives\n", rounds,
              static_cast<unsigned long long>(nodes));
}
