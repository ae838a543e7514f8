class Catalogue
  def initialize(n)
    @text = (0...n).map { |i| "sku#{i},#{i * 3 % 101},#{i % 7}" }.join("\n")
  end

  def prices
    out = {}
    @text.each_line do |line|
      sku, cents, _vat = line.chomp.split(",")
      out[sku] = cents.to_i
    end
    out
  end
end

class Invoice
  def initialize(catalogue)
    @catalogue = catalogue
  end

  def total(lines)
    sum = 0
    lines.each do |line|
      table = @catalogue.prices  # WASTE
      sum += table[line[:sku]] * line[:count]
    end
    sum
  end
end

lines = (0...12000).map { |i| { sku: "sku#{i * 11 % 500}", count: i % 5 + 1 } }
puts Invoice.new(Catalogue.new(500)).total(lines)
