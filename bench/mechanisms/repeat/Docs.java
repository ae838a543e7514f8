import java.io.StringReader;
import javax.xml.parsers.*;
import javax.xml.xpath.*;
import org.xml.sax.InputSource;

public class Docs {
    static String total(String text, XPathExpression kept, DocumentBuilder builder) throws Exception {
        XPathExpression x = kept != null ? kept : XPathFactory.newInstance().newXPath().compile("sum(/o/l/@n)");
        return x.evaluate(builder.parse(new InputSource(new StringReader(text))));
    }

    public static void main(String[] a) throws Exception {
        boolean waste = a[0].equals("waste");
        DocumentBuilder builder = DocumentBuilderFactory.newInstance().newDocumentBuilder();
        XPathExpression kept = waste ? null : XPathFactory.newInstance().newXPath().compile("sum(/o/l/@n)");
        int sum = 0;
        for (int i = 0; i < 25_000; i++) sum += total("<o><l n='" + i + "'/><l n='2'/></o>", kept, builder).length();
        System.out.println(sum);
    }
}
