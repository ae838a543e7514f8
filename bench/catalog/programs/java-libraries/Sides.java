import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedList;
import java.util.Map;
import java.util.TreeMap;
import org.hibernate.FlushMode;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.springframework.expression.spel.SpelCompilerMode;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Hooks;

/** The sides of Ecosystem, and those on databases: java Sides SIDE [TIMES]. */
public class Sides {
    @Entity(name = "Person")
    public static class Person {
        @Id
        public int id;
        public String name;
        public String city;
        public int age;
    }

    static long hibernate(FlushMode flush, boolean parameters) {
        Configuration c = new Configuration().addAnnotatedClass(Person.class)
            .setProperty("hibernate.connection.url", "jdbc:h2:mem:p").setProperty("hibernate.hbm2ddl.auto", "create");
        long n = 0;
        try (SessionFactory f = c.buildSessionFactory(); Session s = f.openSession()) {
            s.beginTransaction();
            for (int i = 0; i < 2000; i++) {
                Person p = new Person();
                p.id = i;
                p.name = "user" + i;
                p.city = "city" + i % 7;
                s.persist(p);
            }
            s.flush();
            if (flush == null) s.clear();
            else s.setHibernateFlushMode(flush);
            for (int i = 0; i < 1500; i++) {
                n += parameters ? s.createQuery("select count(p) from Person p where p.id = :id and p.age < 9", Long.class).setParameter("id", i).getSingleResult()
                    : s.createQuery("select count(p) from Person p where p.id = " + i + " and p.age < 9", Long.class).getSingleResult();
            }
            s.getTransaction().rollback();
        }
        return n;
    }

    static long statements(boolean prepared) throws Exception {
        long n = 0;
        try (Connection c = DriverManager.getConnection("jdbc:h2:mem:s"); Statement s = c.createStatement()) {
            s.execute("create table if not exists t (id int primary key, name varchar(40))");
            s.execute("delete from t");
            for (int i = 0; i < 2000; i++) s.execute("insert into t values (" + i + ", 'user" + i + "')");
            try (PreparedStatement p = c.prepareStatement("select name from t where id = ? and name like 'user%'")) {
                for (int i = 0; i < 60_000; i++) {
                    if (prepared) p.setInt(1, i % 2000);
                    try (ResultSet r = prepared ? p.executeQuery() : s.executeQuery("select name from t where id = " + i % 2000 + " and name like 'user%'")) {
                        if (r.next()) n += r.getString(1).length();
                    }
                }
            }
        }
        return n;
    }

    static long reactor(boolean debug) {
        if (debug) Hooks.onOperatorDebug();
        long n = 0;
        for (int i = 0; i < 40_000; i++) n += Flux.range(i, 5).map(x -> x + 1).filter(x -> x % 2 == 0).collectList().block().size();
        return n;
    }

    interface Side {
        long run() throws Exception;
    }

    public static void main(String[] args) throws Exception {
        Map<String, Side> sides = new TreeMap<>();
        sides.put("jts-contains", () -> Ecosystem.contained(false));
        sides.put("jts-prepared", () -> Ecosystem.contained(true));
        sides.put("jts-union-each", () -> Ecosystem.union(false));
        sides.put("jts-union-all", () -> Ecosystem.union(true));
        sides.put("rhino-interpreted", () -> Ecosystem.script(-1));
        sides.put("rhino-compiled", () -> Ecosystem.script(9));
        sides.put("beanshell", () -> Ecosystem.beanShell(false));
        sides.put("java", () -> Ecosystem.beanShell(true));
        sides.put("spel-interpreted", () -> Ecosystem.spel(SpelCompilerMode.OFF));
        sides.put("spel-compiled", () -> Ecosystem.spel(SpelCompilerMode.IMMEDIATE));
        sides.put("xssf", () -> Ecosystem.workbook(false));
        sides.put("sxssf", () -> Ecosystem.workbook(true));
        sides.put("opencsv", () -> Ecosystem.csv(false));
        sides.put("fastcsv", () -> Ecosystem.csv(true));
        sides.put("snakeyaml", () -> Ecosystem.document(true));
        sides.put("jackson", () -> Ecosystem.document(false));
        sides.put("jsonpath-text", () -> Ecosystem.path(false));
        sides.put("jsonpath-parsed", () -> Ecosystem.path(true));
        sides.put("guava-cache", () -> Ecosystem.cache(false));
        sides.put("caffeine", () -> Ecosystem.cache(true));
        sides.put("reflection-equals", () -> Ecosystem.same(true));
        sides.put("fields-equals", () -> Ecosystem.same(false));
        sides.put("commons-math", () -> Ecosystem.matrix(false));
        sides.put("ejml", () -> Ecosystem.matrix(true));
        sides.put("bigdecimal", () -> Ecosystem.money(true));
        sides.put("cents", () -> Ecosystem.money(false));
        sides.put("xpath", () -> Ecosystem.xpath(false));
        sides.put("dom-walk", () -> Ecosystem.xpath(true));
        sides.put("dom", () -> Ecosystem.tree(false));
        sides.put("stax", () -> Ecosystem.tree(true));
        sides.put("xstream", () -> Ecosystem.xstream(false));
        sides.put("jackson-bytes", () -> Ecosystem.xstream(true));
        sides.put("scaled-instance", () -> Ecosystem.scaled(true));
        sides.put("bilinear", () -> Ecosystem.scaled(false));
        sides.put("get-rgb", () -> Ecosystem.pixels(false));
        sides.put("raster", () -> Ecosystem.pixels(true));
        sides.put("list-contains", () -> Ecosystem.searched(false));
        sides.put("hash-set", () -> Ecosystem.searched(true));
        sides.put("linked-list", () -> Ecosystem.indexed(new LinkedList<>()));
        sides.put("array-list", () -> Ecosystem.indexed(new ArrayList<>()));
        sides.put("intern", () -> Ecosystem.interned(false));
        sides.put("own-map", () -> Ecosystem.interned(true));
        sides.put("println", () -> Ecosystem.printed(false));
        sides.put("print-writer", () -> Ecosystem.printed(true));
        sides.put("scanner", () -> Ecosystem.scanned(true));
        sides.put("read-line", () -> Ecosystem.scanned(false));
        sides.put("client-each", () -> Ecosystem.clients(true));
        sides.put("client-kept", () -> Ecosystem.clients(false));
        sides.put("flush-auto", () -> hibernate(FlushMode.AUTO, true));
        sides.put("flush-commit", () -> hibernate(FlushMode.COMMIT, true));
        sides.put("hql-text", () -> hibernate(null, false));
        sides.put("hql-parameters", () -> hibernate(null, true));
        sides.put("statement", () -> statements(false));
        sides.put("prepared", () -> statements(true));
        sides.put("reactor-debug", () -> reactor(true));
        sides.put("reactor", () -> reactor(false));
        Side side = args.length > 0 ? sides.get(args[0]) : null;
        if (side == null) {
            System.err.println(String.join("\n", sides.keySet()));
            System.exit(2);
        }
        long n = 0;
        for (int i = args.length > 1 ? Integer.parseInt(args[1]) : 1; i > 0; i--) n += side.run();
        System.err.println(n);
    }
}
