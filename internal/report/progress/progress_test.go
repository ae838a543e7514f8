package progress

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal opens a pseudo-terminal: what is written to tty can be read from screen.
func terminal(t *testing.T, columns uint16) (screen, tty *os.File) {
	t.Helper()
	screen, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("no pseudo-terminal: %v", err)
	}
	t.Cleanup(func() { _ = screen.Close() })
	fd := int(screen.Fd())
	if err := unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	tty, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(tty.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: columns}); err != nil {
		t.Fatal(err)
	}
	return screen, tty
}

// shown is all that a terminal of this width gets from what show draws.
func shown(t *testing.T, columns uint16, show func(*Line, chan struct{})) string {
	t.Helper()
	screen, tty := terminal(t, columns)
	var out bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		_, _ = out.ReadFrom(screen) // ends in an error when the other side is closed
	}()
	line := On(tty)
	if line == nil {
		t.Fatal("a terminal is not known as one")
	}
	show(line, make(chan struct{}, 1))
	line.Clear()
	if err := tty.Close(); err != nil {
		t.Fatal(err)
	}
	<-read
	return out.String()
}

// saying gives text, and tells that it was asked for.
func saying(text string, drawn chan struct{}) func() string {
	return func() string {
		select {
		case drawn <- struct{}{}:
		default:
		}
		return text
	}
}

func TestBarAndWords(t *testing.T) {
	got := shown(t, 80, func(l *Line, drawn chan struct{}) {
		l.Bar(0.5, saying("half of it", drawn))
		<-drawn
	})
	if !strings.Contains(got, "==>-") || !strings.Contains(got, "]  half of it") {
		t.Errorf("the terminal got %q", got)
	}
}

func TestSpinnerTakesNewWords(t *testing.T) {
	got := shown(t, 80, func(l *Line, drawn chan struct{}) {
		l.Spin(saying("first", drawn))
		<-drawn
		other := make(chan struct{}, 1)
		l.Spin(saying("second", other))
		<-other
	})
	if !strings.Contains(got, " first") || !strings.Contains(got, " second") {
		t.Errorf("the terminal got %q", got)
	}
}

func TestLongWordsAreCut(t *testing.T) {
	long := strings.Repeat("word ", 100)
	got := shown(t, 60, func(l *Line, drawn chan struct{}) {
		l.Bar(0, saying(long, drawn))
		<-drawn
	})
	if !strings.Contains(got, "…") || strings.Count(got, "word") > 12*strings.Count(got, "…") {
		t.Errorf("the terminal got %q", got)
	}
}

func TestNobodyIsLooking(t *testing.T) {
	var out bytes.Buffer
	file, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = file.Close() }()
	for _, line := range []*Line{On(&out), On(file)} {
		if line != nil {
			t.Fatal("a file is taken for a terminal")
		}
		line.Bar(0.5, func() string { panic("asked for words that nobody reads") })
		line.Spin(func() string { panic("asked for words that nobody reads") })
		line.Clear()
	}
	if info, err := file.Stat(); err != nil || info.Size() != 0 || out.Len() != 0 {
		t.Errorf("something was written: %v, %v, %q", info.Size(), err, out.String())
	}
}
