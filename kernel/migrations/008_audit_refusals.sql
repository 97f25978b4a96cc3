-- Refusals and failures are few: a filter on them must not read a tenant's whole log.
CREATE INDEX audit_log_refusals ON audit_log (tenant_id, at, id) WHERE outcome <> 'ok';
