package perfdata

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
)

// eventOf finds the event of a sample or another record. pos is where the ID
// would be by event 0, negative when it has none.
func (s *session) eventOf(rec *record, pos int) (int, error) {
	if len(s.events) == 1 || pos < 0 || pos+8 > len(rec.body) {
		return 0, nil
	}
	id := binary.LittleEndian.Uint64(rec.body[pos:])
	if id == s.lastID {
		return s.lastEvent, nil
	}
	if ev, ok := s.byID[id]; ok {
		s.lastID, s.lastEvent = id, ev
		return ev, nil
	}
	if rec.typ == recSample {
		return 0, rec.corrupt(fmt.Sprintf("event ID %d is in no event attribute", id))
	}
	return 0, nil
}

// sampleTime finds a sample's event and time without parsing it all.
func (s *session) sampleTime(rec *record) (ev int, at uint64, err error) {
	if len(s.events) == 0 {
		return 0, 0, rec.corrupt("a sample before any event attribute")
	}
	if ev, err = s.eventOf(rec, s.events[0].idPos); err != nil {
		return 0, 0, err
	}
	pos := s.events[ev].timePos
	if pos < 0 {
		return ev, 0, nil
	}
	if pos+8 > len(rec.body) {
		return 0, 0, rec.corrupt("it ends before its time")
	}
	return ev, binary.LittleEndian.Uint64(rec.body[pos:]), nil
}

// recordTime is the time of a record that is no sample, 0 when it has none.
func (s *session) recordTime(rec *record) uint64 {
	if len(s.events) == 0 {
		return 0
	}
	idPos := -1
	if back := s.events[0].idBack; back > 0 {
		idPos = len(rec.body) - back
	}
	ev, _ := s.eventOf(rec, idPos) // only samples can fail
	back := s.events[ev].timeBack
	if back == 0 || back > len(rec.body) {
		return 0
	}
	return binary.LittleEndian.Uint64(rec.body[len(rec.body)-back:])
}

// isChosen decides at the first sample which events are read: by then even a
// pipe has told their names.
func (s *session) isChosen(ev int) bool {
	if s.chosen == nil {
		s.nameEvents()
		s.choose()
	}
	return ev < len(s.chosen) && s.chosen[ev]
}

// nameEvents gives the events the names that the user typed.
func (s *session) nameEvents() {
	for i, d := range s.facts.descs {
		ev, found := i, false
		for _, id := range d.ids {
			if j, ok := s.byID[id]; ok {
				ev, found = j, true
				break
			}
		}
		if ev >= len(s.events) || d.name == "" {
			continue
		}
		s.events[ev].name = d.name
		if found {
			continue
		}
		for _, id := range d.ids {
			s.byID[id] = ev
		}
		s.lastID = 0
	}
}

func (s *session) choose() {
	s.chosen = make([]bool, len(s.events))
	want := -1
	for i, e := range s.events {
		switch {
		case s.opts.Event != "":
			if e.name == s.opts.Event || e.family() == s.opts.Event {
				s.chosen[i] = true
			}
		case want < 0 && e.isCPU():
			want = i
		}
	}
	if s.opts.Event != "" {
		return
	}
	if want < 0 {
		want = max(0, slices.IndexFunc(s.events, func(e *event) bool { return !e.isDummy() }))
	}
	family := s.events[want].family()
	for i, e := range s.events {
		s.chosen[i] = e.family() == family
	}
}

// eventNames lists the events that can have samples.
func (s *session) eventNames() []string {
	var names []string
	for _, e := range s.events {
		if !e.isDummy() && !slices.Contains(names, e.name) {
			names = append(names, e.name)
		}
	}
	return names
}

// chosenEvent is the first of the chosen ones, nil when there is none.
func (s *session) chosenEvent() *event {
	if i := slices.Index(s.chosen, true); i >= 0 {
		return s.events[i]
	}
	return nil
}

// choiceWarning says what was left out when the file has several events.
func (s *session) choiceWarning() {
	e := s.chosenEvent()
	if e == nil || s.opts.Event != "" || s.others == 0 {
		return
	}
	names := slices.DeleteFunc(s.eventNames(), func(n string) bool { return n == e.name })
	s.warnf("only event %s is shown; the file also has %d samples of other events (%s)",
		e.name, s.others, strings.Join(names, ", "))
}
