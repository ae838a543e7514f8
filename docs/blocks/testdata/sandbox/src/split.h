#pragma once
#include <cstdint>
#include <string>
#include <vector>

void split(const std::string &in, std::vector<uint8_t> &out);
