// Copies a file with a key, byte by byte; "mend" puts buffers around both streams.
import java.io.*;

public class Copy {
    static void copy(InputStream in, OutputStream out) throws IOException {
        int c;
        while ((c = in.read()) >= 0) out.write(c ^ 0x5a);
    }

    public static void main(String[] a) throws IOException {
        InputStream in = new FileInputStream(a[1]);
        OutputStream out = new FileOutputStream("/tmp/mech-copy.bin");
        if (a[0].equals("mend")) { in = new BufferedInputStream(in); out = new BufferedOutputStream(out); }
        copy(in, out);
        out.close();
    }
}
