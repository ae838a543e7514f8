// Pairs of C++ libraries and habits: habits SIDE [TIMES]. run.py compares the CPU times
// of two sides. Built as habits (-O2), habits-O0 and habits-native (-O2 -mavx2 -mfma).
#include <Eigen/Dense>
#include <boost/archive/binary_iarchive.hpp>
#include <boost/archive/binary_oarchive.hpp>
#include <boost/archive/text_iarchive.hpp>
#include <boost/archive/text_oarchive.hpp>
#include <boost/format.hpp>
#include <boost/lexical_cast.hpp>
#include <boost/numeric/ublas/matrix.hpp>
#include <boost/serialization/vector.hpp>
#include <charconv>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fftw3.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <future>
#include <iostream>
#include <map>
#include <mutex>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

static long matrices() {
    Eigen::MatrixXd a = Eigen::MatrixXd::Constant(256, 256, 0.5), b = a;
    for (int i = 0; i < 8; i++) b = a * b * 0.01;
    return long(b(3, 3));
}

static long vectors() {
    long n = 0;
    Eigen::Vector3d at(0, 0, 0), speed(0.1, 0.2, 0.3);
    for (int i = 0; i < 300000; i++) {
        at += speed * 0.01;
        n += at.norm() > 1;
    }
    return n;
}

static long product(bool eigen) {
    const int k = 220;
    if (eigen) {
        Eigen::MatrixXd a = Eigen::MatrixXd::Constant(k, k, 0.5), b = a * a;
        return long(b(3, 3));
    }
    namespace u = boost::numeric::ublas;
    u::matrix<double> a(k, k), b(k, k);
    for (int i = 0; i < k; i++)
        for (int j = 0; j < k; j++) a(i, j) = 0.5;
    b = u::prod(a, a);
    return long(b(3, 3));
}

static long numbers(bool cast) {
    long n = 0;
    char text[24];
    for (int i = 0; i < 400000; i++) {
        if (cast) {
            n += boost::lexical_cast<int>(boost::lexical_cast<std::string>(i));
            continue;
        }
        auto end = std::to_chars(text, text + sizeof text, i).ptr;
        int back = 0;
        std::from_chars(text, end, back);
        n += back;
    }
    return n;
}

static long formatted(bool boosted) {
    long n = 0;
    char text[80];
    for (int i = 0; i < 150000; i++) {
        if (boosted) n += (boost::format("%1%: %2% of %3%") % i % "rows" % 7).str().size();
        else n += std::snprintf(text, sizeof text, "%d: %s of %d", i, "rows", 7);
    }
    return n;
}

template <class Out, class In> static long archived() {
    std::vector<double> in(80000), back;
    for (size_t i = 0; i < in.size(); i++) in[i] = i * 1.37;
    std::stringstream s;
    Out(s) << in;
    In(s) >> back;
    return back.size();
}

static long draws(bool each) {
    long n = 0;
    std::mt19937 kept(std::random_device{}());
    for (int i = 0; i < 60000; i++) {
        if (each) {
            std::mt19937 fresh(std::random_device{}());
            n += fresh() & 7;
        } else n += kept() & 7;
    }
    return n;
}

static long lines(bool flush) {
    std::ofstream out("/dev/null");
    for (int i = 0; i < 400000; i++) {
        out << i;
        if (flush) out << std::endl;
        else out << '\n';
    }
    return 1;
}

static long tasks(bool threads) {
    std::atomic<long> n = 0;
    auto work = [&n](int i) { n += i & 3; };
    if (threads) {
        for (int i = 0; i < 8000; i++) std::async(std::launch::async, work, i).get();
        return n;
    }
    std::mutex m;
    std::condition_variable ready;
    std::deque<int> queue;
    bool end = false;
    std::thread worker([&] {
        for (;;) {
            std::unique_lock l(m);
            ready.wait(l, [&] { return end || !queue.empty(); });
            if (queue.empty()) return;
            int i = queue.front();
            queue.pop_front();
            l.unlock();
            work(i);
        }
    });
    for (int i = 0; i < 8000; i++) {
        {
            std::lock_guard l(m);
            queue.push_back(i);
        }
        ready.notify_one();
    }
    {
        std::lock_guard l(m);
        end = true;
    }
    ready.notify_one();
    worker.join();
    return n;
}

static long transforms(bool each) {
    const int k = 1024;
    auto in = fftw_alloc_complex(k), out = fftw_alloc_complex(k);
    for (int i = 0; i < k; i++) in[i][0] = i % 17, in[i][1] = 0;
    auto plan = fftw_plan_dft_1d(k, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
    for (int i = 0; i < 3000; i++) {
        if (each) {
            auto fresh = fftw_plan_dft_1d(k, in, out, FFTW_FORWARD, FFTW_ESTIMATE);
            fftw_execute(fresh);
            fftw_destroy_plan(fresh);
        } else fftw_execute(plan);
    }
    return long(out[3][0]);
}

static long paths(bool objects) {
    long n = 0;
    const std::filesystem::path base = "/srv/data/2026/11/records";
    const std::string text = base.string() + "/part";
    for (int i = 0; i < 120000; i++) {
        if (objects) n += (base / "part" / ("file" + std::to_string(i))).native().size();
        else n += (text + "/file" + std::to_string(i)).size();
    }
    return n;
}

int main(int argc, char** argv) {
    std::map<std::string, std::function<long()>> sides = {
        {"matrices", matrices},
        {"vectors", vectors},
        {"ublas", [] { return product(false); }},
        {"eigen", [] { return product(true); }},
        {"lexical-cast", [] { return numbers(true); }},
        {"charconv", [] { return numbers(false); }},
        {"boost-format", [] { return formatted(true); }},
        {"snprintf", [] { return formatted(false); }},
        {"text-archive", [] { return archived<boost::archive::text_oarchive, boost::archive::text_iarchive>(); }},
        {"binary-archive", [] { return archived<boost::archive::binary_oarchive, boost::archive::binary_iarchive>(); }},
        {"engine-each", [] { return draws(true); }},
        {"engine-kept", [] { return draws(false); }},
        {"endl", [] { return lines(true); }},
        {"newline", [] { return lines(false); }},
        {"async-each", [] { return tasks(true); }},
        {"worker", [] { return tasks(false); }},
        {"plan-each", [] { return transforms(true); }},
        {"plan-kept", [] { return transforms(false); }},
        {"path", [] { return paths(true); }},
        {"path-text", [] { return paths(false); }},
    };
    auto side = argc > 1 ? sides.find(argv[1]) : sides.end();
    if (side == sides.end()) {
        for (auto& s : sides) std::fprintf(stderr, "%s\n", s.first.c_str());
        return 2;
    }
    long n = 0;
    for (int i = argc > 2 ? std::atoi(argv[2]) : 1; i > 0; i--) n += side->second();
    std::printf("%ld\n", n);
}
