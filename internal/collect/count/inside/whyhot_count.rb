# frozen_string_literal: true

# Counts calls of the methods that whyhot count names, their different arguments, and
# whether the same arguments give the same result.
#
# A TracePoint for each of these methods only, from when its file has been compiled, which
# leaves all other methods alone. It loads nothing and names no constant, so that the
# program finds what it would find without it; it asks objects nothing that their classes
# can answer in their own way.
counter = Class.new do
  def initialize(names, results)
    @results = results
    @most = 1 << 16 # different arguments of a function
    @longest = 64 # items of a container that are looked at: half of them the last
    @enough = 1_000_000_000 # ns of looking at a method, before fewer of its calls are looked at
    @clock = Process.method(:clock_gettime) # a program may have a clock of its own in its tests
    @save = 1_000_000_000 # ns between two times that the counts are written
    @saved = @clock.call(Process::CLOCK_MONOTONIC, :nanosecond)
    @class_of = Kernel.instance_method(:class)
    @identity = BasicObject.instance_method(:__id__) # since Ruby 2.7 never given twice
    @same = BasicObject.instance_method(:equal?)
    @variables = Kernel.instance_method(:instance_variables)
    @variable = Kernel.instance_method(:instance_variable_get)
    @members = Struct.instance_method(:to_a)
    @simple = [String, Symbol, Integer, Float, Rational, Complex, Regexp, Time, NilClass, TrueClass, FalseClass].to_h { |c| [c, true] }.compare_by_identity
    @streams = [Enumerator, IO, Thread, Fiber]
    @blocks = 0
    @wasted = 0 # ns in here: the calls that are counted do not take that
    @collector = GC.respond_to?(:total_time) # since Ruby 3.1
    @tallies = []
    @by_file = Hash.new { |h, k| h[k] = [] }
    read(names)
  end

  # The texts stay as JSON has them, for when they are written.
  def read(names)
    string = /"(?:[^"\\]|\\.)*"/n
    File.binread(names).scan(/\{"language":"ruby","name":(#{string}),"file":(#{string})(?:,"line":(\d+))?\}/n) do |name, file, line|
      tally = { name_text: name, file_text: file, name: plain(name), line: line.to_i }
      tally[:short] = tally[:name][/[^.#:]+\z/n] || tally[:name]
      tally[:owner] = tally[:name][0...-tally[:short].length].sub(/[.#:]+\z/n, "")
      clear(tally)
      @tallies << tally
      @by_file[plain(file)] << tally
    end
    @by_file.default_proc = nil
  end

  def plain(text)
    text[1..-2].gsub(/\\(?:u(\h{4})|(.))/n) { $1 ? [$1.hex].pack("U").b : { "n" => "\n", "t" => "\t", "r" => "\r", "b" => "\b", "f" => "\f" }.fetch($2, $2).b }
  end

  def clear(tally)
    tally[:count] = tally[:looked] = tally[:repeated] = tally[:same] = tally[:nothing] = tally[:plain] = tally[:cyclic] = tally[:spent] = 0
    tally[:first_time] = tally[:again_time] = 0 # ns of the calls that are looked at: with new arguments, with known ones
    tally[:first] = {} # hash of arguments: hash of the first result, number of the last call, distance to the one before
    tally[:times] = Array.new(64, 0) # ns of the calls from 2**i on, up to those from 2**(i+1) on
    tally[:recursive] = false
    tally[:results] = {}
    tally[:stride] = 1
  end

  def start
    @compiled = TracePoint.new(:script_compiled) { |point| compiled(point.instruction_sequence) }
    @compiled.enable
    owner = self
    if Process.respond_to?(:_fork)
      Process.singleton_class.prepend(Module.new { define_method(:_fork) { super().tap { |pid| owner.forked if pid == 0 } } })
    else
      @pid = Process.pid
    end
    at_exit do
      @compiled.disable
      owner.write
    end
  end

  # A child counts its own calls only.
  def forked
    @tallies.each { |tally| clear(tally) }
  end

  def compiled(script)
    path = script.path
    wanted = @by_file[path.b]
    if (absolute = script.absolute_path) && absolute != path
      wanted = (wanted || []) | (@by_file[absolute.b] || [])
    end
    look_for(script, wanted) if wanted && !wanted.empty?
  end

  def look_for(code, wanted)
    code.each_child do |child|
      if method?(child)
        short = child.base_label.b[/[^.#:]+\z/n] || child.base_label.b
        named = wanted.select { |tally| tally[:short] == short && (tally[:line] == 0 || tally[:line] == child.first_lineno) }
        count(child, named) unless named.empty?
      end
      look_for(child, wanted)
    end
  end

  # Blocks and what rescues have a label of their own, classes and files one in brackets.
  def method?(code)
    code.label == code.base_label && !code.label.match?(/\A<[a-z]|\Asingleton class\z/)
  end

  def methods_in?(code)
    found = false
    code.each_child { |child| found ||= method?(child) || methods_in?(child) }
    found
  end

  # Of functions of one name in one file, a method is the one that its class is named in.
  def chosen(named, point)
    return named.first if named.length == 1 && named.first[:owner].empty?
    owner = point.defined_class
    if owner.singleton_class? && Module === point.self
      owner = point.self.ancestors.find { |c| c.singleton_class.equal?(owner) } || owner
    end
    name = Module.instance_method(:name).bind_call(owner).to_s.b
    named.find { |tally| tally[:owner] == name } || named.find { |tally| tally[:owner].empty? } ||
      named.find { |tally| !tally[:owner].empty? && name.end_with?("::" + tally[:owner]) }
  end

  def count(code, named)
    tally = nil
    looked = false
    # A block that is not among the parameters closes over what cannot be seen.
    yields = code.disasm.match?(/invokeblock|invokesuper/)
    named_so = methods_in?(code) ? code.base_label.to_sym : nil # these are traced with it
    constructor = code.base_label == "initialize"
    method = code.object_id
    key = :"whyhot #{method}"
    calls = TracePoint.new(:call, :return) do |point|
      unless looked # at the first call
        looked = true
        tally = chosen(named, point)
        calls.disable unless tally
      end
      next if !tally || (named_so && point.method_id != named_so)
      stack = Thread.current[key] ||= [] # of this fiber
      if point.event == :return
        call = stack.pop
        ended(tally, call, point, constructor) if call
      else
        if @pid && @pid != Process.pid
          @pid = Process.pid
          forked
        end
        tally[:count] += 1
        call = nil
        tally[:recursive] ||= !stack.empty?
        if tally[:count] % tally[:stride] == 0 && tally[:first].length < @most
          call = called(tally, point, method, yields, constructor)
        end
        stack.push(call)
      end
    end
    calls.enable(target: code)
    named.each { |n| n[:found] = true }
  rescue ArgumentError # a method that the interpreter does not trace
    nil
  end

  def called(tally, point, method, yields, constructor)
    begin_at = @clock.call(Process::CLOCK_MONOTONIC, :nanosecond)
    binding = point.binding
    receiver = point.self
    hashes = [method]
    passed = []
    if constructor # the object is new each time
      hashes << @identity.bind_call(@class_of.bind_call(receiver))
    else
      hashes << of(receiver, 2, false)
      passed << receiver
    end
    blocks = yields
    point.parameters.each do |kind, name|
      unless name && name.match?(/\A[[:alpha:]_]/)
        blocks ||= kind == :block
        next if kind == :block || kind == :nokey
        return nil # it has no name to be seen by
      end
      blocks = false if kind == :block
      value = binding.local_variable_get(name)
      hashes << of(value, 2, false)
      passed << value unless Integer === value || Symbol === value || Float === value || true == value || false == value || nil == value
    end
    if blocks && binding.eval("block_given?")
      hashes << [:block, @blocks += 1].hash
    end
    spend(tally, begin_at)
    [hashes.hash, passed, tally[:count], own_time]
  rescue NameError, TypeError, ArgumentError, EncodingError
    nil
  end

  # The time on the clock without what counting and the collector take: what there is to collect
  # grows with the program, whatever method is interrupted.
  def own_time
    @clock.call(Process::CLOCK_MONOTONIC, :nanosecond) - @wasted - (@collector ? GC.total_time : 0)
  end

  def spend(tally, begin_at)
    spent = @clock.call(Process::CLOCK_MONOTONIC, :nanosecond) - begin_at
    tally[:spent] += spent
    @wasted += spent
  end

  def ended(tally, call, point, constructor)
    took = [own_time - call[3], 0].max
    begin_at = @clock.call(Process::CLOCK_MONOTONIC, :nanosecond)
    tally[:times][call[2].bit_length - 1] += took * tally[:stride]
    value = point.return_value
    result = nil
    none = constructor || NilClass === value || @streams.any? { |c| c === value } || call[1].any? { |v| @same.bind_call(v, value) }
    result = of(value, 3, true) unless none
    tally[:looked] += 1
    if none
      tally[:nothing] += 1
    else
      tally[:plain] += 1 if Numeric === value || true == value || false == value
      tally[:results][result] = true if tally[:results].length < @most
    end
    if (known = tally[:first][call[0]])
      distance = tally[:looked] - known[1]
      tally[:repeated] += 1
      tally[:again_time] += took
      tally[:same] += 1 if known[0] == result
      tally[:cyclic] += 1 if distance == known[2] && 2 * distance >= tally[:first].length
      known[1] = tally[:looked]
      known[2] = distance
    else
      tally[:first_time] += took
      tally[:first][call[0]] = [result, tally[:looked], 0]
    end
    write if begin_at - @saved > @save
    spend(tally, begin_at)
    tally[:stride] *= 2 if tally[:spent] > @enough * tally[:stride].bit_length
  rescue NameError, TypeError, ArgumentError, EncodingError
    nil
  end

  # A hash of what a value is made of, where it is of a built-in class; else of which it is,
  # or, for results, of what is inside.
  def of(value, depth, inside)
    kind = @class_of.bind_call(value)
    return [kind, value].hash if @simple[kind]
    if depth > 0
      if kind.equal?(Array)
        return [kind, value.length, *ends(value).map { |v| of(v, depth - 1, inside) }].hash
      elsif kind.equal?(Hash)
        return [kind, value.length, *ends(value.length <= @longest ? value : value.to_a).map { |k, v| [of(k, depth - 1, inside), of(v, depth - 1, inside)] }].hash
      elsif kind.equal?(Range)
        return [kind, of(value.begin, depth - 1, inside), of(value.end, depth - 1, inside), value.exclude_end?].hash
      elsif inside && Struct === value
        return [kind, *ends(@members.bind_call(value)).map { |v| of(v, depth - 1, inside) }].hash
      elsif inside && !(Module === value || Proc === value)
        names = @variables.bind_call(value)
        return [kind, names.length, *ends(names).map { |name| [name, of(@variable.bind_call(value, name), depth - 1, inside)] }].hash unless names.empty?
      end
    end
    @identity.bind_call(value)
  end

  def ends(items)
    items.length <= @longest ? items : items.first(@longest / 2) + items.last(@longest / 2)
  end

  # Also once a second, for a process that is killed.
  def write
    @saved = @clock.call(Process::CLOCK_MONOTONIC, :nanosecond)
    functions = @tallies.select { |t| t[:found] }.map do |t|
      different = t[:first].length < @most ? t[:first].length : 0
      %({"name":#{t[:name_text]},"file":#{t[:file_text]},"line":#{t[:line]},"count":#{t[:count]},"different":#{different},"looked":#{t[:looked]},) +
        %("repeated":#{t[:repeated]},"same":#{t[:same]},"results":#{t[:results].length},"nothing":#{t[:nothing]},"plain":#{t[:plain]},"cyclic":#{t[:cyclic]},) +
        %("first_time":#{t[:first_time]},"again_time":#{t[:again_time]},) +
        %("times":[#{t[:recursive] ? "" : t[:times].first(t[:count].bit_length).join(",")}]})
    end
    path = File.join(@results, "#{Process.pid}.json")
    File.binwrite(path + ".part", %({"language":"ruby","way":"TracePoint","functions":[#{functions.join(",")}]}))
    File.rename(path + ".part", path)
  rescue SystemCallError
    nil
  end
end

if ENV["WHYHOT_COUNT_FUNCTIONS"] && ENV["WHYHOT_COUNT_RESULTS"] && RUBY_ENGINE == "ruby" && RUBY_VERSION >= "2.7"
  counter.new(ENV["WHYHOT_COUNT_FUNCTIONS"], ENV["WHYHOT_COUNT_RESULTS"]).start
end
