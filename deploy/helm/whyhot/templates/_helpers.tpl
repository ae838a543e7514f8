{{/* The image of a program: its name and the root. */}}
{{- define "whyhot.image" -}}
{{ .root.Values.image.registry }}/{{ .name }}:{{ .root.Values.image.tag | default .root.Chart.AppVersion }}
{{- end }}

{{- define "whyhot.labels" -}}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/version: {{ .root.Values.image.tag | default .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
{{- end }}

{{- define "whyhot.pullSecrets" -}}
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{/* Where agents send to. */}}
{{- define "whyhot.to" -}}
{{- if .Values.agent.to -}}
{{ .Values.agent.to }}
{{- else if .Values.server.enabled -}}
whyhot-server.{{ .Release.Namespace }}:4317
{{- else -}}
{{ fail "agent.to is missing: without server.enabled it has to name a server, HOST:PORT" }}
{{- end -}}
{{- end }}
