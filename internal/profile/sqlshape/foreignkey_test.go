package sqlshape

import "testing"

func TestForeignKey(t *testing.T) {
	for query, want := range map[string]string{
		`DELETE FROM ONLY "public"."orders" WHERE $1 OPERATOR(pg_catalog.=) "customer_id"`:                                                           "orders (customer_id)",
		`SELECT 1 FROM ONLY "shop"."order lines" x WHERE $1 OPERATOR(pg_catalog.=) "year" AND $2 OPERATOR(pg_catalog.=) "number" FOR KEY SHARE OF x`: "shop.order lines (year, number)",
		`UPDATE ONLY "public"."orders" SET "customer_id" = NULL WHERE $1 OPERATOR(pg_catalog.=) "customer_id"`:                                       "orders (customer_id)",
		`SELECT 1 FROM ONLY "public"."customers" x WHERE "id" OPERATOR(pg_catalog.=) $1 FOR KEY SHARE OF x`:                                          "", // by its key
		`SELECT count(*) FROM ONLY "t" WHERE a = $1`:                                                                                                 "",
		`SELECT secret FROM users WHERE id = 4711`:                                                                                                   "",
		``: "",
	} {
		if got := ForeignKey(query); got != want {
			t.Errorf("%s: %q, not %q", query, got, want)
		}
	}
}
