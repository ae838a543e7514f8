%% OP LENGTH ROUNDS: an operation on a container of that length, once a round.
-module(ops).
-export([main/1, append/2, nth/2, len/2, member/2, keyfind/2, minus/2, delete/2, last/2, reverse/2, maplist/2, binary/2, flatten/2, sum/2]).

append(I, {L, _, _, _}) -> hd(L ++ [I]). % WASTE append
nth(_, {L, N, _, _}) -> lists:nth(N, L). % WASTE nth
len(_, {L, _, _, _}) -> length(L). % WASTE len
member(I, {L, _, _, _}) -> lists:member(-I, L). % WASTE member
keyfind(I, {_, _, P, _}) -> lists:keyfind(-I, 1, P). % WASTE keyfind
minus(I, {L, _, _, _}) -> hd(L -- [I]). % WASTE minus
delete(I, {L, _, _, _}) -> hd(lists:delete(-I, L)). % WASTE delete
last(_, {L, _, _, _}) -> lists:last(L). % WASTE last
reverse(_, {L, _, _, _}) -> hd(lists:reverse(L)). % WASTE reverse
maplist(_, {_, _, _, M}) -> hd(maps:to_list(M)). % WASTE maplist
binary(_, {L, _, _, _}) -> byte_size(iolist_to_binary(L)). % WASTE binary
flatten(_, {L, _, _, _}) -> hd(lists:flatten([L])). % WASTE flatten
sum(_, {L, _, _, _}) -> lists:sum(L). % WASTE sum

work(I) -> put(I rem 64, I).

all(_, N, N, _) -> ok;
all(Op, I, N, S) -> apply(?MODULE, Op, [I, S]), work(I), all(Op, I + 1, N, S).

main([Op, Length, Rounds]) ->
    N = list_to_integer(atom_to_list(Length)),
    L = [I rem 200 || I <- lists:seq(1, N)],
    P = [{I, I} || I <- L],
    all(Op, 0, list_to_integer(atom_to_list(Rounds)), {L, N, P, maps:from_list(P)}).
