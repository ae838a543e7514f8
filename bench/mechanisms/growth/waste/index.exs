# Prices are taken from a list by index.
defmodule Report do
  def total(prices, n) do
    Enum.reduce(1..n, 0, fn i, sum ->
      sum + Enum.at(prices, rem(i * 7, length(prices))) # WASTE
    end)
  end
end

prices = Enum.to_list(1..3000)
IO.puts(Report.total(prices, String.to_integer(hd(System.argv()))))
