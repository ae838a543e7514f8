package inside

import (
	"testing"

	"whyhot/internal/profile"
)

const rubyProgram = `
module Shop
  class Tool
    attr_reader :text

    def initialize(text)
      @text = text
    end

    def use(number)
      number
    end

    def never; end

    def fails
      raise ArgumentError
    end

    def <=>(other)
      text <=> other.text
    end

    def self.build(text)
      new(text)
    end
  end

  class Table
    def initialize
      @rows = []
    end

    def add(row)
      @rows.push(row)
      @rows.length
    end

    def widest(of, in_order: true)
      [@rows.map(&:length).max, of]
    end

    def chained(*)
      self
    end

    def each
      return to_enum unless block_given?
      yield 1
    end

    def pairs
      yield 1
      2
    end
  end
end

def temporary(tool)
  tool.text + "!"
end

table = Shop::Table.new
tools = [Shop::Tool.new("a"), Shop::Tool.new("b")]
300.times do |n|
  Shop::Tool.new("the same").use(n)
  Shop::Tool.build("built")
  table.add("row")
  table.widest(n % 3)
  table.chained
  table.each
  table.pairs { n }
  tools[0] <=> tools[1]
  temporary(Shop::Tool.new("text #{n}"))
  begin
    Shop::Tool.new("").fails
  rescue ArgumentError
  end
end
pid = fork { 7.times { tools[0].use(1) } }
Process.wait(pid)
raise unless $?.success?
`

// As of Python; a child that is forked counts its own calls, a block that is not named is
// another one each time, and arguments without a name are not looked at.
func TestRuby(t *testing.T) {
	got, file := run(t, profile.KindRuby, "ruby", "p.rb", rubyProgram, nil,
		"initialize", "use", "never", "fails", "<=>", "Shop::Tool.build", "Shop::Table#add", "widest", "chained", "each", "pairs", "temporary")
	held(t, got, file,
		profile.FunctionCalls{Name: "initialize", Count: 1203, Looked: 1203, Different: 306, Repeated: 897, Same: 897, Nothing: 1203, Cyclic: 2},
		profile.FunctionCalls{Name: "use", Count: 307, Looked: 300, Different: 300, Results: 300, Plain: 300},
		profile.FunctionCalls{Name: "never"},
		profile.FunctionCalls{Name: "fails", Count: 300, Looked: 300, Different: 300, Nothing: 300},
		profile.FunctionCalls{Name: "<=>", Count: 300, Looked: 300, Different: 1, Repeated: 299, Same: 299, Results: 1, Plain: 300, Cyclic: 298},
		profile.FunctionCalls{Name: "Shop::Tool.build", Count: 300, Looked: 300, Different: 1, Repeated: 299, Same: 299, Results: 1, Cyclic: 298},
		profile.FunctionCalls{Name: "Shop::Table#add", Count: 300, Looked: 300, Different: 1, Repeated: 299, Results: 300, Plain: 300, Cyclic: 298},
		profile.FunctionCalls{Name: "widest", Count: 300, Looked: 300, Different: 3, Repeated: 297, Same: 297, Results: 3, Cyclic: 294},
		profile.FunctionCalls{Name: "chained", Count: 300},
		profile.FunctionCalls{Name: "each", Count: 300, Looked: 300, Different: 1, Repeated: 299, Same: 299, Nothing: 300, Cyclic: 298},
		profile.FunctionCalls{Name: "pairs", Count: 300, Looked: 300, Different: 300, Results: 1, Plain: 300},
		profile.FunctionCalls{Name: "temporary", Count: 300, Looked: 300, Different: 300, Results: 300})
}

// Two functions of one name in one file are told apart by their class or their line.
func TestRubyOfOneName(t *testing.T) {
	const text = "class A\n  def go(n) = n\nend\nclass B\n  def go(n) = 1\n  def to(n) = n\nend\n5.times { |n| A.new.go(n); B.new.go(1); B.new.go(1) }\nexit 0\n"
	got, file := run(t, profile.KindRuby, "ruby", "p.rb", text, nil, "A#go", "B#go", "gone")
	if len(got.NotCounted) != 1 || len(got.Functions) != 2 {
		t.Errorf("%+v", got)
	}
	got.NotCounted = nil
	held(t, got, file,
		profile.FunctionCalls{Name: "A#go", Count: 5, Looked: 5, Different: 5, Results: 5, Plain: 5},
		profile.FunctionCalls{Name: "B#go", Count: 10, Looked: 10, Different: 10, Results: 1, Plain: 10})
}

// An interpreter that does not load the counter is said.
func TestRubyWithoutTheCounter(t *testing.T) {
	got, _ := run(t, profile.KindRuby, "ruby", "p.rb", rubyProgram, []string{"--disable=rubyopt"}, "use")
	if len(got.NotCounted) != 1 || len(got.Functions) != 0 {
		t.Errorf("%+v", got)
	}
}

const rubyTimed = `
def late(n)
  sleep 0.2 if n == 7 && $at > 300
  n
end

def itself(n)
  n == 0 ? 0 : itself(n - 1)
end

400.times do |n|
  $at = n
  late(n % 300)
  itself(3)
end
`

// The time of a call counts where the number of the call belongs.
func TestRubyTimes(t *testing.T) {
	got, _ := run(t, profile.KindRuby, "ruby", "p.rb", rubyTimed, nil, "late", "itself")
	timed(t, got, "late", "itself")
}
