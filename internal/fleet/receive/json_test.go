package receive

import "go.opentelemetry.io/collector/pdata/pprofile"

func otlpJSON(pd pprofile.Profiles) ([]byte, error) {
	return (&pprofile.JSONMarshaler{}).MarshalProfiles(pd)
}
