%% Rows are appended at the end of a list.
-module(append).
-export([main/1]).

rows(N, N, Acc) -> Acc;
rows(I, N, Acc) -> rows(I + 1, N, Acc ++ [{I, I * 2}]). % WASTE

main([N]) -> io:format("~p~n", [length(rows(0, list_to_integer(atom_to_list(N)), []))]).
