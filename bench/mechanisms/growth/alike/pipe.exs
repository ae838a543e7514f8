# Lists are mapped and summed as a whole.
n = String.to_integer(hd(System.argv()))

Enum.each(1..n, fn i ->
  list = Enum.map(1..2000, fn k -> rem(k * i, 1009) end)
  if length(list) != 2000 or Enum.sum(Enum.sort(list)) < 0, do: IO.puts("never")
end)
