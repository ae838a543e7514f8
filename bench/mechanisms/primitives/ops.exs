# OP LENGTH ROUNDS: an operation on a container of that length, once a round.
defmodule Ops do
  def at(_i, {list, n, _}), do: Enum.at(list, n - 1) # WASTE at
  def len(_i, {list, _, _}), do: length(list) # WASTE len
  def count(_i, {list, _, _}), do: Enum.count(list) # WASTE count
  def append(i, {list, _, _}), do: hd(list ++ [i]) # WASTE append
  def member(i, {list, _, _}), do: Enum.member?(list, -i) # WASTE member
  def find(i, {list, _, _}), do: Enum.find(list, fn v -> v == -i - 1 end) # WASTE find
  def last(_i, {list, _, _}), do: List.last(list) # WASTE last
  def replace(i, {list, n, _}), do: hd(List.replace_at(list, n - 1, i)) # WASTE replace
  def slength(_i, {_, _, text}), do: String.length(text) # WASTE slength
  def sat(_i, {_, n, text}), do: String.at(text, n - 2) # WASTE sat
  def reverse(_i, {list, _, _}), do: hd(Enum.reverse(list)) # WASTE reverse

  def work(i), do: Process.put(rem(i, 64), i)

  def all(_op, n, n, _s), do: :ok

  def all(op, i, n, s) do
    apply(__MODULE__, op, [i, s])
    work(i)
    all(op, i + 1, n, s)
  end
end

[op, length, rounds] = System.argv()
n = String.to_integer(length)
Ops.all(String.to_atom(op), 0, String.to_integer(rounds), {Enum.to_list(1..n), n, String.duplicate("x", n)})
