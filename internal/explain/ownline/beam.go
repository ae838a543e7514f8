package ownline

import (
	"strings"

	"whyhot/internal/profile"
)

// otpModules are those of Erlang's applications erts, kernel and stdlib, and elixirModules
// the first names of those that come with Elixir. A function in the map of their compiler
// has no file, but names its module.
var (
	otpModules = words(`application application_controller application_master application_starter array atomics auth base64 beam_lib binary
	c calendar code code_server counters dets dets_server dets_sup dets_utils dets_v9 dict digraph digraph_utils disk_log
	disk_log_1 disk_log_server disk_log_sup dist_ac dist_util edlin edlin_expand epp epp_dodger erl_abstract_code erl_anno
	erl_bits erl_boot_server erl_compile erl_compile_server erl_ddll erl_distribution erl_epmd erl_error erl_erts_errors
	erl_eval erl_expand_records erl_features erl_init erl_internal erl_kernel_errors erl_lint erl_parse erl_posix_msg
	erl_pp erl_prim_loader erl_reply erl_scan erl_signal_handler erl_stdlib_errors erl_tar erl_tracer erlang erpc
	error_handler error_logger error_logger_file_h error_logger_tty_h erts_beamasm erts_code_purger erts_debug
	erts_dirty_process_signal_handler erts_internal erts_literal_area_collector escript ets eval_bits file file_io_server
	file_server file_sorter filelib filename gb_sets gb_trees gen gen_event gen_fsm gen_sctp gen_server gen_statem gen_tcp
	gen_tcp_socket gen_udp gen_udp_socket global global_group global_search group group_history heart inet inet6_sctp
	inet6_tcp inet6_tcp_dist inet6_udp inet_config inet_db inet_dns inet_gethost_native inet_hosts inet_parse inet_res
	inet_sctp inet_tcp inet_tcp_dist inet_udp init io io_lib io_lib_format io_lib_fread io_lib_pretty json kernel
	kernel_config kernel_refc lists local_tcp local_udp log_mf_h logger logger_backend logger_config logger_disk_log_h
	logger_filters logger_formatter logger_h_common logger_handler_watcher logger_olp logger_proxy logger_server
	logger_simple_h logger_std_h logger_sup maps math ms_transform net net_adm net_kernel orddict ordsets os otp_internal
	peer persistent_term pg pg2 pool prim_buffer prim_eval prim_file prim_inet prim_net prim_socket prim_tty prim_zip
	proc_lib proplists qlc qlc_pt queue ram_file rand random raw_file_io raw_file_io_compressed raw_file_io_deflate
	raw_file_io_delayed raw_file_io_inflate raw_file_io_list re rpc seq_trace sets shell shell_default shell_docs slave
	socket socket_registry sofs standard_error string supervisor supervisor_bridge sys timer unicode unicode_util
	uri_string user user_drv user_sup win32reg wrap_log_reader zip zlib zstd`)
	elixirModules = words(`Access Agent Application Atom Base Bitwise Calendar Code Collectable Config Date DateTime Dict Duration DynamicSupervisor
	EEx Enum Enumerable Exception ExUnit File Float Function GenEvent GenServer HashDict HashSet IEx IO Inspect Integer JSON
	Kernel Keyword List Logger Macro Map MapSet Mix Module NaiveDateTime Node OptionParser PartitionSupervisor Path Port
	Process Protocol Range Record Regex Registry Set Stream String StringIO Supervisor System Task Time Tuple URI Version`)
)

func words(text string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(text) {
		out[w] = true
	}
	return out
}

// isBeam tells libraries of Erlang and Elixir, by names as codename.JIT gives them:
// module:function/arity.
func isBeam(fn *profile.Function) bool {
	if fn.Kind != profile.KindJIT && fn.Kind != profile.KindUnknown {
		return false
	}
	module, rest, ok := strings.Cut(fn.Name, ":")
	if !ok || strings.HasPrefix(rest, ":") || !strings.Contains(rest, "/") {
		return false
	}
	if name, ok := strings.CutPrefix(module, "Elixir."); ok {
		first, _, _ := strings.Cut(name, ".")
		return elixirModules[first]
	}
	return otpModules[module] || strings.HasPrefix(module, "elixir_")
}
