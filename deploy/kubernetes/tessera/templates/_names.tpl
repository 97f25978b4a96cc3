{{- define "tessera.labels" -}}
app.kubernetes.io/name: tessera
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .service }}
{{- end }}

{{- define "tessera.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- /* Which keys of the Secret a process may read: its own database only, and the encryption key in keys alone. */ -}}
{{- define "tessera.secretNames" -}}
{{- $names := list "INTERNAL_AUTH_SECRET" "NATS_URL" "REDIS_URL" -}}
{{- if ne .service "gateway" }}{{ $names = concat $names (list (printf "%s_DATABASE_URL" (upper .service)) (printf "%s_DATABASE_REPLICA_URL" (upper .service))) }}{{ end -}}
{{- if eq .service "keys" }}{{ $names = append $names "KEYS_ENCRYPTION_KEY" }}{{ end -}}
{{- if eq .service "tenancy" }}{{ $names = append $names "WEBHOOK_SECRETS" }}{{ end -}}
{{- if eq .service "identity" }}{{ $names = concat $names (list "SMTP_URL" "CODEHOST_CLIENT_SECRET" "AUTH_PASSWORD_SECRETS" "AUTH_FACTOR_SECRETS") }}{{ end -}}
{{- join "," $names -}}
{{- end }}

{{- define "tessera.securityContext" -}}
runAsNonRoot: true
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}
