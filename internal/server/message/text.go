package message

import (
	"fmt"
	"strings"

	"whyhot/internal/finding/percent"
	"whyhot/internal/host/printable"
)

// subject is one line: of an e-mail, and what a chat shows first.
func subject(m *Message) string {
	switch {
	case m.Kind == KindTest:
		return "whyhot can reach you"
	case (m.Kind == KindFinding || m.Kind == KindAlert) && len(m.Items) == 1:
		i := &m.Items[0]
		return fmt.Sprintf("%s: %s in %s (%s)", strings.ToUpper(i.Why[:1])+i.Why[1:], printable.Text(i.Title), printable.Text(i.Service), cores(i.Now))
	}
	total := 0.0
	for _, i := range m.Items {
		total += i.Now.Cores
	}
	noun := "findings"
	if len(m.Items) == 1 {
		noun = "finding"
	}
	text := fmt.Sprintf("%d %s, %.2f cores", len(m.Items), noun, total)
	if m.Kind == KindDigest {
		text = "Today: " + text
	}
	return text
}

func cores(c Cost) string {
	if c.Cores == 0 {
		return percent.Text(c.Share) + " of its CPU"
	}
	if c.Cores < 0.005 {
		return "<0.01 cores"
	}
	return fmt.Sprintf("%.2f cores", c.Cores)
}

// facts says what a finding costs, in one line.
func facts(c *Config, i *Item) string {
	list := []string{percent.Column(i.Now.Share) + " " + percent.Error(i.Now.Error) + " of the CPU of " + printable.Text(i.Service)}
	if i.Now.Cores > 0 {
		list = append(list, cores(i.Now))
	}
	if p := i.Money; p != nil {
		var year []string
		if p.Currency != "" {
			year = append(year, fmt.Sprintf("%.2f %s", p.Money, p.Currency))
		}
		if p.CO2 > 0 {
			year = append(year, fmt.Sprintf("%.2f kg CO2", p.CO2))
		}
		if len(year) > 0 {
			list = append(list, strings.Join(year, " and ")+" a year")
		}
	}
	if g := i.Gain; g != nil {
		list = append(list, "may save "+percent.Column(g.Low)+" … "+percent.Column(g.High))
	}
	if i.Certainty != "" {
		list = append(list, i.Certainty)
	}
	if i.Limit != "" {
		list = append(list, i.Limit)
	}
	text := strings.Join(list, " · ")
	if b := i.Before; b != nil {
		text += fmt.Sprintf("\nwas %s %s, %s (%s)", percent.Column(b.Share), percent.Error(b.Error), cores(*b), b.Time.In(c.zone).Format("2006-01-02 15:04 MST"))
	}
	return text
}

// plain is the text of a message.
func plain(c *Config, m *Message) string {
	if m.Kind == KindTest {
		return "This is a test: whyhot will send messages about findings here.\n\n" + m.Link + "\n"
	}
	var b strings.Builder
	for n := range m.Items {
		i := &m.Items[n]
		if n > 0 {
			b.WriteString("\n")
		}
		title := printable.Text(i.Title)
		if len(m.Items) > 1 {
			title = fmt.Sprintf("%d. %s: %s", n+1, i.Why, title)
		}
		fmt.Fprintf(&b, "%s\n%s\n%s\n", title, facts(c, i), i.Link)
		if i.Command != "" {
			fmt.Fprintf(&b, "%s\n", printable.Text(i.Command))
		}
	}
	if len(m.Items) > 1 {
		fmt.Fprintf(&b, "\nAll: %s\n", m.Link)
	}
	return b.String()
}
