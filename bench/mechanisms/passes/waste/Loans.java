import java.util.*;

public final class Loans {
    record Member(String card, int fee) {}
    record Loan(String card, int days) {}

    static Member memberOf(List<Member> members, String card) {
        for (Member m : members) {
            if (m.card().equals(card)) {  // WASTE
                return m;
            }
        }
        return null;
    }

    static long fees(List<Loan> loans, List<Member> members) {
        long sum = 0;
        for (Loan loan : loans) {
            Member m = memberOf(members, loan.card());
            if (m != null) {
                sum += (long) m.fee() * loan.days();
            }
        }
        return sum;
    }

    public static void main(String[] args) {
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < 6000; i++) members.add(new Member("card" + i * 7919L % 999983, i % 13));
        List<Loan> loans = new ArrayList<>();
        for (int i = 0; i < 150000; i++) loans.add(new Loan(members.get((int) (i * 31L % 6000)).card(), i % 40));
        System.out.println(fees(loans, members));
    }
}
