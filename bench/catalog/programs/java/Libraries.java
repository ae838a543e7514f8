import com.lmax.disruptor.BlockingWaitStrategy;
import com.lmax.disruptor.RingBuffer;
import com.lmax.disruptor.WaitStrategy;
import com.lmax.disruptor.YieldingWaitStrategy;
import com.lmax.disruptor.dsl.Disruptor;
import com.lmax.disruptor.dsl.ProducerType;
import com.lmax.disruptor.util.DaemonThreadFactory;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.Collection;
import java.util.Map;
import java.util.TreeMap;
import javax.xml.bind.JAXBContext;
import javax.xml.bind.JAXBException;
import javax.xml.bind.annotation.XmlRootElement;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.ManyToOneConcurrentArrayQueue;
import org.agrona.concurrent.SleepingMillisIdleStrategy;
import org.apache.commons.beanutils.BeanUtils;
import org.modelmapper.ModelMapper;

/** Pairs on libraries of Java: java Libraries SIDE [TIMES]. run.py compares the CPU times of two sides. */
public class Libraries {
    @XmlRootElement(name = "row")
    public static class Row {
        private int id;
        private String name;
        private double score;

        public int getId() {
            return id;
        }

        public void setId(int v) {
            id = v;
        }

        public String getName() {
            return name;
        }

        public void setName(String v) {
            name = v;
        }

        public double getScore() {
            return score;
        }

        public void setScore(double v) {
            score = v;
        }
    }

    static Row row(int i) {
        Row r = new Row();
        r.setId(i);
        r.setName("user" + i);
        r.setScore(i * 1.37);
        return r;
    }

    static long jaxb(boolean each, int n) throws JAXBException {
        long sum = 0;
        JAXBContext once = JAXBContext.newInstance(Row.class);
        for (int i = 0; i < n; i++) {
            JAXBContext c = each ? JAXBContext.newInstance(Row.class) : once;
            StringWriter w = new StringWriter();
            c.createMarshaller().marshal(row(i), w);
            sum += ((Row) c.createUnmarshaller().unmarshal(new StringReader(w.toString()))).getId();
        }
        return sum;
    }

    static long mapped(boolean each, int n) {
        long sum = 0;
        ModelMapper once = new ModelMapper();
        for (int i = 0; i < n; i++) sum += (each ? new ModelMapper() : once).map(row(i), Row.class).getId();
        return sum;
    }

    static long copied(boolean reflection, int n) throws ReflectiveOperationException {
        long sum = 0;
        for (int i = 0; i < n; i++) {
            Row from = row(i), to = new Row();
            if (reflection) {
                BeanUtils.copyProperties(to, from);
            } else {
                to.setId(from.getId());
                to.setName(from.getName());
                to.setScore(from.getScore());
            }
            sum += to.getId();
        }
        return sum;
    }

    static long queue(IdleStrategy idle) throws InterruptedException {
        ManyToOneConcurrentArrayQueue<Long> q = new ManyToOneConcurrentArrayQueue<>(1024);
        Thread t = new Thread(() -> {
            for (int i = 0; i < 150; i++) {
                try {
                    Thread.sleep(5);
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
                q.offer((long) i);
            }
        });
        t.start();
        long sum = 0;
        for (int n = 0; n < 150; ) {
            Long v = q.poll();
            idle.idle(v == null ? 0 : 1);
            if (v == null) continue;
            sum += v;
            n++;
        }
        t.join();
        return sum;
    }

    static long ring(WaitStrategy wait) throws InterruptedException {
        long[] sum = new long[1];
        Disruptor<long[]> d = new Disruptor<>(() -> new long[1], 1024, DaemonThreadFactory.INSTANCE, ProducerType.SINGLE, wait);
        d.handleEventsWith((event, at, last) -> sum[0] += event[0]);
        RingBuffer<long[]> r = d.start();
        for (int i = 0; i < 150; i++) {
            Thread.sleep(5);
            long at = r.next();
            r.get(at)[0] = i;
            r.publish(at);
        }
        d.shutdown();
        return sum[0];
    }

    /** Counts what it is given: the cost is that of the spans, not of a network. */
    static final class Counter implements SpanExporter {
        long n;

        @Override
        public CompletableResultCode export(Collection<SpanData> spans) {
            for (SpanData s : spans) n += s.getAttributes().size();
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode flush() {
            return CompletableResultCode.ofSuccess();
        }

        @Override
        public CompletableResultCode shutdown() {
            return CompletableResultCode.ofSuccess();
        }
    }

    static long spans(Sampler sampler, boolean batches) {
        Counter to = new Counter();
        SdkTracerProvider p = SdkTracerProvider.builder().setSampler(sampler).addSpanProcessor(batches ? BatchSpanProcessor.builder(to).build() : SimpleSpanProcessor.create(to)).build();
        Tracer t = OpenTelemetrySdk.builder().setTracerProvider(p).build().getTracer("pairs");
        long sum = 0;
        for (int i = 0; i < 400_000; i++) {
            Span s = t.spanBuilder("request").setAttribute("user", "user" + i % 97).setAttribute("rows", i).startSpan();
            for (int k = 0; k < 300; k++) sum += (i ^ k) % 7;
            s.end();
        }
        p.close();
        return sum;
    }

    interface Side {
        long run() throws Exception;
    }

    public static void main(String[] args) throws Exception {
        Map<String, Side> sides = new TreeMap<>();
        sides.put("jaxb-each", () -> jaxb(true, 1500));
        sides.put("jaxb-once", () -> jaxb(false, 1500));
        sides.put("mapper-each", () -> mapped(true, 4000));
        sides.put("mapper-once", () -> mapped(false, 4000));
        sides.put("beans-copied", () -> copied(true, 300_000));
        sides.put("beans-by-hand", () -> copied(false, 300_000));
        sides.put("queue-backoff", () -> queue(new BackoffIdleStrategy(100, 100, 1000, 10_000)));
        sides.put("queue-yield", () -> queue(new org.agrona.concurrent.YieldingIdleStrategy()));
        sides.put("queue-sleep", () -> queue(new SleepingMillisIdleStrategy(1)));
        sides.put("ring-yield", () -> ring(new YieldingWaitStrategy()));
        sides.put("ring-block", () -> ring(new BlockingWaitStrategy()));
        sides.put("spans-all", () -> spans(Sampler.alwaysOn(), false));
        sides.put("spans-batched", () -> spans(Sampler.alwaysOn(), true));
        sides.put("spans-sampled", () -> spans(Sampler.traceIdRatioBased(0.05), true));
        Side side = args.length > 0 ? sides.get(args[0]) : null;
        if (side == null) {
            System.err.println(String.join("\n", sides.keySet()));
            System.exit(2);
        }
        long n = 0;
        for (int i = args.length > 1 ? Integer.parseInt(args[1]) : 1; i > 0; i--) n += side.run();
        System.out.println(n);
    }
}
