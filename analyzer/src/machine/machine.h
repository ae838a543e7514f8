// The loops of functions of a binary, and what rules find in them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace whyhot::machine {

// A function, and where in it samples were taken.
struct Range {
  uint64_t Low = 0, High = 0;
  std::string Symbol;            // instead of its addresses
  std::vector<uint64_t> Sampled; // sorted; none: every loop is wanted
};

struct Request {
  std::string File;
  std::vector<Range> Functions;
  bool Cycles = false;                 // model the innermost loops (machine/model.h)
  std::vector<std::string> Processors; // on which; none: on several of the file's kind
};

struct Line {
  uint64_t Address = 0;
  unsigned Size = 0;
  std::string Text;
  // The instruction that a sample here is meant for, 0 where it is this one or not
  // known: docs/decisions/0150.
  uint64_t Cause = 0;
};

struct Match {
  std::string Rule;
  std::vector<uint64_t> At; // the instructions that it is about, the one that costs first
  std::map<std::string, std::string> Facts;
};

// What an iteration takes in a model of a processor.
struct Modelled {
  double Least = 0, Most = 0; // the same where there is one way through the loop
  std::string Limit;          // of the longer way: what keeps it from being faster
};

// Instructions that a model has no cycles for.
struct LeftOut {
  unsigned Calls = 0, Atomic = 0, Strings = 0;
};

struct LoopCode {
  uint64_t Header = 0;
  int Parent = -1; // its index, -1 for none
  unsigned Depth = 1;
  bool Innermost = true;
  std::vector<std::pair<uint64_t, uint64_t>> Ranges; // of addresses, with those of the loops in it
  std::vector<Line> Lines;                           // of an innermost loop, or of its own blocks alone
  std::vector<Match> Matches;
  std::map<std::string, Modelled> Cycles;
  LeftOut Left;
  int64_t Step = 0; // bytes by which its addresses move in an iteration, with Cycles; 0: not known
};

// A load that samples are meant for, and where its address comes from.
struct Wait {
  Line Load;
  uint64_t At = 0;    // the sampled instruction behind it
  std::string Kind;   // "chase", "pointer", "table", "rows", "run" or "object": rules/wait.cpp
  unsigned Ahead = 0; // instructions for which at least the address has been known
  // Of a run: bytes of each step. Of a table: bytes by which its index is multiplied, 0 where not known, and how many
  // of them the code around loads or stores.
  int64_t Element = 0, Used = 0;
  bool Jumps = false; // a comparison with memory that a conditional jump follows
};

struct FunctionCode {
  uint64_t Low = 0;
  std::string Problem; // "" where the function was looked at
  unsigned Unresolved = 0;
  size_t Instructions = 0;
  std::vector<LoopCode> Loops; // those with samples; outer ones before those in them
  std::vector<Line> Outside;   // the sampled instructions that are in none
  std::vector<Wait> Waits;     // by address of the sampled instruction
};

struct Answer {
  std::string Error;                   // "" for none
  std::vector<FunctionCode> Functions; // in the order of the request
};

Answer answer(const Request &R);

} // namespace whyhot::machine
