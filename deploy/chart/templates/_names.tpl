{{- define "berth.name" -}}{{ .Release.Name | trunc 53 | trimSuffix "-" }}{{- end -}}
{{- define "berth.labels" -}}
app.kubernetes.io/name: berth
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}
{{- define "berth.selector" -}}
app.kubernetes.io/name: berth
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
{{- define "berth.port" -}}{{ if eq .Values.mode "up" }}6443{{ else }}10259{{ end }}{{- end -}}
