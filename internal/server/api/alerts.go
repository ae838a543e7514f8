package api

import (
	"context"
	"time"

	"whyhot/internal/server/alert"
)

type alertsForm struct {
	Alerts []alertForm `json:"alerts"`
}

// alertForm is where an alert stands.
type alertForm struct {
	Name     string    `json:"name"`
	Limit    string    `json:"limit"`
	Services []string  `json:"services"`
	Function string    `json:"function,omitempty"`
	Where    string    `json:"where,omitempty"`
	Firing   bool      `json:"firing"`
	Beyond   time.Time `json:"beyond_since,omitzero"`
	Since    time.Time `json:"firing_since,omitzero"`
	Now      costForm  `json:"now"`
	Before   *costForm `json:"before,omitempty"`
	Failed   string    `json:"failed,omitempty"`
}

type costForm struct {
	Time       time.Time `json:"time"`
	Share      float64   `json:"share"`
	Error      float64   `json:"error"`
	Cores      float64   `json:"cores"`
	CoresError float64   `json:"cores_error"`
	Samples    int64     `json:"samples"`
	Chosen     int64     `json:"chosen"`
}

// alerts says where the alerts of a project stand.
func (s *Server) alerts(_ context.Context, r *request) (any, error) {
	list, err := alert.States(r.project)
	if err != nil {
		return nil, err
	}
	out := alertsForm{Alerts: make([]alertForm, 0, len(list))}
	for _, a := range list {
		f := alertForm{
			Name: a.Name, Limit: a.Limit, Services: a.Services, Function: a.Function, Where: a.Where, Firing: a.Firing,
			Beyond: a.Beyond, Since: a.Since, Now: costForm(a.Now),
		}
		if f.Services == nil {
			f.Services = []string{}
		}
		if a.Before != nil {
			before := costForm(*a.Before)
			f.Before = &before
		}
		if a.Failed != "" { // why is in the log; it may name files of this machine
			f.Failed = "could not be measured"
		}
		out.Alerts = append(out.Alerts, f)
	}
	return out, nil
}
