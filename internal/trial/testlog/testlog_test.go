package testlog

import (
	"slices"
	"testing"
)

func TestFailed(t *testing.T) {
	for _, c := range []struct {
		runner, text string
		want         []string
	}{
		{"CTest", "    Start 2: parse\n2/3 Test #2: parse ............................***Failed    0.01 sec\n\nThe following tests FAILED:\n\t  2 - parse (Failed)\n\t  3 - io (SEGFAULT)\nErrors while running CTest\n", []string{"parse", "io"}},
		{"GoogleTest", "[ RUN      ] Queue.Pop\nq.cc:3: Failure\n[  FAILED  ] Queue.Pop (0 ms)\n[  PASSED  ] 1 test.\n[  FAILED  ] 1 test, listed below:\n[  FAILED  ] Queue.Pop\n\n 1 FAILED TEST\n", []string{"Queue.Pop"}},
		{"go", "=== RUN   TestA\n--- FAIL: TestA (0.00s)\n    --- FAIL: TestA/sub (0.00s)\nFAIL\nFAIL\tx\t0.01s\n", []string{"TestA", "TestA/sub"}},
		{"automake", "PASS: one.sh\nFAIL: two.sh\n# FAIL:  1\nmake[1]: *** [Makefile:5: check] Error 1\n", []string{"two.sh"}},
		{"pytest", "FAILED tests/test_a.py::test_b - assert 1 == 2\n", []string{"tests/test_a.py::test_b"}},
		{"unittest", "FAIL: test_b (test_a.A)\n", []string{"test_b (test_a.A)"}},
		{"Meson", "1/3 unit / hash        OK    0.01s\n2/3 unit / tree        FAIL    0.02s   exit status 1\n", []string{"unit / tree"}},
		{"cargo", "test a::good ... ok\ntest a::bad ... FAILED\n", []string{"a::bad"}},
		{"TAP", "ok 1 - first\nnot ok 2 - second thing # TODO\n", []string{"second thing"}},
		{"prove", "t/a.t .. Dubious\nt/a.t (Wstat: 256 (exited 1) Tests: 3 Failed: 1)\nt/b.t (Wstat: 0 Tests: 3 Failed: 0)\n", []string{"t/a.t"}},
		{"Boost", "test.cpp(12): error: in \"suite/case\": check a == b has failed\n", []string{"suite/case"}},
		{"Catch2", "-------------------------------------------------------------------------------\nvectors grow\n-------------------------------------------------------------------------------\nt.cpp:4\n...............................................................................\n\nt.cpp:9: FAILED:\n  CHECK( 1 == 2 )\n", []string{"vectors grow"}},
		{"doctest", "===============================================================================\nt.cpp:3:\nTEST CASE:  lists are sorted\n\nt.cpp:5: ERROR: CHECK( a ) is NOT correct!\n", []string{"lists are sorted"}},
		{"nothing known", "1 of 3 checks went wrong\n", nil},
		{"all well", "PASS: a\n100% tests passed, 0 tests failed out of 3\nok 1 - x\n# FAIL:  0\n", nil},
	} {
		if got := Failed(c.text); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.runner, got, c.want)
		}
	}
}
