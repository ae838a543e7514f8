import com.fasterxml.jackson.databind.ObjectMapper;
import com.github.benmanes.caffeine.cache.Caffeine;
import com.google.common.cache.CacheBuilder;
import com.jayway.jsonpath.Configuration;
import com.jayway.jsonpath.JsonPath;
import com.opencsv.CSVReader;
import com.thoughtworks.xstream.XStream;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import java.awt.Image;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.awt.image.DataBufferInt;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.ByteArrayInputStream;
import java.io.FileOutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringReader;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.net.http.HttpClient;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedList;
import java.util.List;
import java.util.Map;
import java.util.Scanner;
import java.util.TreeMap;
import javax.xml.parsers.DocumentBuilder;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamReader;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpression;
import javax.xml.xpath.XPathFactory;
import org.apache.commons.lang3.builder.EqualsBuilder;
import org.apache.commons.lang3.builder.HashCodeBuilder;
import org.apache.commons.math3.linear.MatrixUtils;
import org.apache.commons.math3.linear.RealMatrix;
import org.apache.poi.xssf.streaming.SXSSFWorkbook;
import org.apache.poi.ss.usermodel.Row;
import org.apache.poi.ss.usermodel.Sheet;
import org.apache.poi.ss.usermodel.Workbook;
import org.apache.poi.xssf.usermodel.XSSFWorkbook;
import org.ejml.data.DMatrixRMaj;
import org.ejml.dense.row.CommonOps_DDRM;
import org.locationtech.jts.geom.Coordinate;
import org.locationtech.jts.geom.Geometry;
import org.locationtech.jts.geom.GeometryFactory;
import org.locationtech.jts.geom.prep.PreparedGeometry;
import org.locationtech.jts.geom.prep.PreparedGeometryFactory;
import org.locationtech.jts.operation.union.UnaryUnionOp;
import org.mozilla.javascript.Context;
import org.springframework.expression.Expression;
import org.springframework.expression.spel.SpelCompilerMode;
import org.springframework.expression.spel.SpelParserConfiguration;
import org.springframework.expression.spel.standard.SpelExpressionParser;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import org.yaml.snakeyaml.Yaml;

/** Pairs on libraries of Java: java Ecosystem SIDE [TIMES]. run.py compares the CPU times of two sides. */
public class Ecosystem {
    static Geometry circle(GeometryFactory f, double x, double y, double r) {
        return f.createPoint(new Coordinate(x, y)).buffer(r, 60);
    }

    static long contained(boolean prepared) {
        GeometryFactory f = new GeometryFactory();
        Geometry area = circle(f, 0, 0, 100);
        PreparedGeometry p = PreparedGeometryFactory.prepare(area);
        long n = 0;
        for (int i = 0; i < 40_000; i++) {
            Geometry point = f.createPoint(new Coordinate(i * 7919 % 211 - 105, i * 104_729 % 223 - 111));
            if (prepared ? p.contains(point) : area.contains(point)) n++;
        }
        return n;
    }

    static long union(boolean cascaded) {
        GeometryFactory f = new GeometryFactory();
        List<Geometry> all = new ArrayList<>();
        for (int i = 0; i < 250; i++) all.add(circle(f, i * 37 % 101, i * 53 % 103, 6));
        if (cascaded) return (long) UnaryUnionOp.union(all).getArea();
        Geometry u = all.get(0);
        for (Geometry g : all) u = u.union(g);
        return (long) u.getArea();
    }

    static long script(int level) {
        Context c = Context.enter();
        try {
            c.setOptimizationLevel(level);
            return ((Number) c.evaluateString(c.initStandardObjects(),
                "function fib(n) { return n < 2 ? n : fib(n - 1) + fib(n - 2) } fib(25)", "s", 1, null)).longValue();
        } finally {
            Context.exit();
        }
    }

    static long beanShell(boolean compiled) throws Exception {
        if (compiled) {
            long n = 0;
            for (int i = 0; i < 100_000; i++) n += i % 7 * 3;
            return n;
        }
        return ((Number) new bsh.Interpreter().eval("long n = 0; for (int i = 0; i < 100000; i++) n += i % 7 * 3; return n;")).longValue();
    }

    static long spel(SpelCompilerMode mode) {
        Expression e = new SpelExpressionParser(new SpelParserConfiguration(mode, null)).parseExpression("id * 3 + name.length()");
        long n = 0;
        for (int i = 0; i < 2_000_000; i++) n += e.getValue(new Item(i & 1023), Integer.class);
        return n;
    }

    static long workbook(boolean stream) throws Exception {
        try (Workbook b = stream ? new SXSSFWorkbook(100) : new XSSFWorkbook(); PrintStream out = new PrintStream("/dev/null")) {
            Sheet s = b.createSheet();
            for (int y = 0; y < 8000; y++) {
                Row r = s.createRow(y);
                for (int x = 0; x < 12; x++) {
                    if (x % 3 == 0) r.createCell(x).setCellValue("text" + y % 50);
                    else r.createCell(x).setCellValue(x * 1.5 + y);
                }
            }
            b.write(out);
        }
        return 1;
    }

    static String table() {
        StringBuilder b = new StringBuilder();
        for (int i = 0; i < 150_000; i++) b.append(i).append(",\"user ").append(i % 97).append("\",").append(i * 0.5).append('\n');
        return b.toString();
    }

    static long csv(boolean fast) throws Exception {
        long n = 0;
        if (fast) {
            try (CsvReader<CsvRecord> r = CsvReader.builder().ofCsvRecord(table())) {
                for (CsvRecord c : r) n += c.getField(1).length();
            }
            return n;
        }
        try (CSVReader r = new CSVReader(new StringReader(table()))) {
            for (String[] c = r.readNext(); c != null; c = r.readNext()) n += c[1].length();
        }
        return n;
    }

    static long document(boolean yaml) throws Exception {
        List<Map<String, Object>> all = new ArrayList<>();
        for (int i = 0; i < 8000; i++) all.add(new LinkedHashMap<>(Map.of("id", i, "name", "user" + i, "tags", List.of("a", "b"))));
        if (yaml) return ((List<?>) new Yaml().load(new Yaml().dump(all))).size();
        ObjectMapper m = new ObjectMapper();
        return m.readValue(m.writeValueAsString(all), List.class).size();
    }

    static long path(boolean once) {
        StringBuilder b = new StringBuilder("{\"rows\": [");
        for (int i = 0; i < 300; i++) b.append(i > 0 ? "," : "").append("{\"id\": ").append(i).append(", \"name\": \"user\"}");
        String text = b.append("]}").toString();
        Object read = Configuration.defaultConfiguration().jsonProvider().parse(text);
        long n = 0;
        for (int i = 0; i < 2500; i++) {
            String p = "$.rows[" + i % 300 + "].id";
            n += (Integer) (once ? JsonPath.read(read, p) : JsonPath.read(text, p));
        }
        return n;
    }

    static long cache(boolean caffeine) {
        Map<Integer, Integer> m = caffeine ? Caffeine.newBuilder().maximumSize(2000).<Integer, Integer>build().asMap()
            : CacheBuilder.newBuilder().maximumSize(2000).<Integer, Integer>build().asMap();
        long n = 0;
        for (int i = 0; i < 4_000_000; i++) {
            Integer key = (int) ((i * 2654435761L >>> 7) % 2200);
            Integer v = m.get(key);
            if (v == null) m.put(key, i);
            else n += v & 1;
        }
        return n;
    }

    public static class Item {
        public int id;
        public String name = "user";
        public double score;

        public Item(int id) {
            this.id = id;
            score = id * 0.5;
        }

        public int getId() {
            return id;
        }

        public String getName() {
            return name;
        }
    }

    static long same(boolean reflected) {
        long n = 0;
        Item a = new Item(7);
        for (int i = 0; i < 1_500_000; i++) {
            Item b = new Item(i & 7);
            boolean e = reflected ? EqualsBuilder.reflectionEquals(a, b) : a.id == b.id && a.name.equals(b.name) && a.score == b.score;
            if (e) n++;
            n += (reflected ? HashCodeBuilder.reflectionHashCode(b) : b.id * 31 + b.name.hashCode()) & 1;
        }
        return n;
    }

    static long matrix(boolean ejml) {
        int k = 500;
        double[][] a = new double[k][k];
        for (int i = 0; i < k; i++) for (int j = 0; j < k; j++) a[i][j] = i * 0.5 + j % 7;
        if (ejml) {
            DMatrixRMaj m = new DMatrixRMaj(a), out = new DMatrixRMaj(k, k);
            for (int i = 0; i < 4; i++) CommonOps_DDRM.mult(m, m, out);
            return (long) out.get(3, 3);
        }
        RealMatrix m = MatrixUtils.createRealMatrix(a), out = m;
        for (int i = 0; i < 4; i++) out = m.multiply(m);
        return (long) out.getEntry(3, 3);
    }

    static long money(boolean exact) {
        if (exact) {
            BigDecimal s = BigDecimal.ZERO, f = new BigDecimal("1.19");
            for (int i = 0; i < 6_000_000; i++) s = s.add(BigDecimal.valueOf(i, 2).multiply(f).setScale(2, RoundingMode.HALF_UP));
            return s.longValue();
        }
        long cents = 0;
        for (int i = 0; i < 6_000_000; i++) cents += (i * 119L + 50) / 100;
        return cents / 100;
    }

    static String elements() {
        StringBuilder b = new StringBuilder("<r>");
        for (int i = 0; i < 3000; i++) b.append("<i id=\"").append(i).append("\"><n>user").append(i).append("</n></i>");
        return b.append("</r>").toString();
    }

    static long xpath(boolean once) throws Exception {
        DocumentBuilder builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        Document d = builder.parse(new ByteArrayInputStream(elements().getBytes(StandardCharsets.UTF_8)));
        NodeList all = d.getElementsByTagName("i");
        XPathExpression e = XPathFactory.newInstance().newXPath().compile("n/text()");
        long n = 0;
        for (int i = 0; i < 2500; i++) {
            org.w3c.dom.Node node = d.getDocumentElement().getChildNodes().item(i);
            n += once ? node.getFirstChild().getTextContent().length() : ((String) e.evaluate(node, XPathConstants.STRING)).length();
        }
        return n + all.getLength();
    }

    static long tree(boolean stream) throws Exception {
        byte[] text = elements().getBytes(StandardCharsets.UTF_8);
        DocumentBuilder builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        XMLInputFactory factory = XMLInputFactory.newInstance();
        long n = 0;
        for (int i = 0; i < 250; i++) {
            if (!stream) {
                n += builder.parse(new ByteArrayInputStream(text)).getElementsByTagName("n").getLength();
                continue;
            }
            XMLStreamReader r = factory.createXMLStreamReader(new ByteArrayInputStream(text));
            while (r.hasNext()) if (r.next() == XMLStreamReader.START_ELEMENT && r.getLocalName().equals("n")) n++;
        }
        return n;
    }

    static long xstream(boolean json) throws Exception {
        List<Item> all = new ArrayList<>();
        for (int i = 0; i < 20_000; i++) all.add(new Item(i));
        if (json) {
            ObjectMapper m = new ObjectMapper();
            return m.readTree(m.writeValueAsBytes(all)).size();
        }
        XStream x = new XStream();
        x.allowTypes(new Class[] {Item.class});
        return ((List<?>) x.fromXML(x.toXML(all))).size();
    }

    static long scaled(boolean area) {
        BufferedImage in = new BufferedImage(2400, 1800, BufferedImage.TYPE_INT_RGB), out = new BufferedImage(600, 450, BufferedImage.TYPE_INT_RGB);
        var g = out.createGraphics();
        if (area) g.drawImage(in.getScaledInstance(600, 450, Image.SCALE_SMOOTH), 0, 0, null);
        else {
            g.setRenderingHint(RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BILINEAR);
            BufferedImage half = new BufferedImage(1200, 900, BufferedImage.TYPE_INT_RGB);
            var h = half.createGraphics();
            h.setRenderingHint(RenderingHints.KEY_INTERPOLATION, RenderingHints.VALUE_INTERPOLATION_BILINEAR);
            h.drawImage(in, 0, 0, 1200, 900, null);
            g.drawImage(half, 0, 0, 600, 450, null);
        }
        return out.getRGB(3, 3) & 255;
    }

    static long pixels(boolean direct) {
        BufferedImage in = new BufferedImage(2400, 1800, BufferedImage.TYPE_INT_RGB), out = new BufferedImage(2400, 1800, BufferedImage.TYPE_INT_RGB);
        int[] a = ((DataBufferInt) in.getRaster().getDataBuffer()).getData(), b = ((DataBufferInt) out.getRaster().getDataBuffer()).getData();
        for (int k = 0; k < 6; k++) {
            if (direct) for (int i = 0; i < a.length; i++) b[i] = ~a[i];
            else for (int y = 0; y < 1800; y++) for (int x = 0; x < 2400; x++) out.setRGB(x, y, ~in.getRGB(x, y));
        }
        return b[77] & 255;
    }

    static long searched(boolean set) {
        List<String> list = new ArrayList<>();
        for (int i = 0; i < 12_000; i++) {
            String s = "user" + i * 7919L % 15_013;
            if (set || !list.contains(s)) list.add(s);
        }
        return set ? new HashSet<>(list).size() : list.size();
    }

    static long indexed(List<Integer> list) {
        for (int i = 0; i < 20_000; i++) list.add(i);
        long n = 0;
        for (int i = 0; i < list.size(); i++) n += list.get(i);
        return n;
    }

    static long interned(boolean own) {
        Map<String, String> m = new HashMap<>();
        long n = 0;
        for (int i = 0; i < 5_000_000; i++) {
            String s = "user" + i % 20_000;
            n += (own ? m.computeIfAbsent(s, k -> k) : s.intern()).length();
        }
        return n;
    }

    static long printed(boolean buffered) throws Exception {
        if (buffered) {
            try (PrintWriter w = new PrintWriter(new BufferedWriter(new OutputStreamWriter(new FileOutputStream("/dev/null"))))) {
                for (int i = 0; i < 1_500_000; i++) w.println("line " + i);
            }
            return 1;
        }
        PrintStream was = System.out;
        try (PrintStream null_ = new PrintStream(new java.io.BufferedOutputStream(new FileOutputStream("/dev/null"), 8192), true)) {
            System.setOut(null_);
            for (int i = 0; i < 1_500_000; i++) System.out.println("line " + i);
        }
        System.setOut(was);
        return 1;
    }

    static long scanned(boolean scanner) throws Exception {
        StringBuilder b = new StringBuilder();
        for (int i = 0; i < 300_000; i++) b.append(i).append(' ').append(i * 3).append('\n');
        long n = 0;
        if (scanner) {
            Scanner s = new Scanner(b.toString());
            while (s.hasNextInt()) n += s.nextInt();
            return n;
        }
        BufferedReader r = new BufferedReader(new StringReader(b.toString()));
        for (String l = r.readLine(); l != null; l = r.readLine()) {
            int at = l.indexOf(' ');
            n += Integer.parseInt(l, 0, at, 10) + Integer.parseInt(l, at + 1, l.length(), 10);
        }
        return n;
    }

    static long clients(boolean each) {
        HttpClient c = HttpClient.newHttpClient();
        long n = 0;
        for (int i = 0; i < 150; i++) {
            if (each) c = HttpClient.newHttpClient();
            n += c.version().ordinal();
        }
        return n;
    }
}
