-- Isolation beneath the code (docs/adr/0003): two roles, no BYPASSRLS anywhere.
--   quorate_app     what requests and gateways run as: sees the rows of app.tenant_id, and no rows when it is unset.
--   quorate_system  the cross-tenant paths (reconcile runtime, relay, sweeps, token look-up), each behind a named port.
-- Both are groups; a deployment gives them a login (`node tools/db.mjs logins`). Lock cost: none, the tables are new.
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'quorate_app') THEN
    CREATE ROLE quorate_app NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
  END IF;
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'quorate_system') THEN
    CREATE ROLE quorate_system NOLOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOBYPASSRLS;
  END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; -- another database of the same server was first
END $$;

-- nullif: after a transaction the setting reads '' and not NULL.
CREATE FUNCTION app_tenant_id() RETURNS uuid LANGUAGE sql STABLE PARALLEL SAFE
  AS $$ SELECT nullif(current_setting('app.tenant_id', true), '')::uuid $$;

DO $$
DECLARE t text;
BEGIN
  FOR t IN SELECT table_name FROM information_schema.columns
           WHERE table_schema = current_schema() AND column_name = 'tenant_id' ORDER BY 1
  LOOP
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', t);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', t);
    EXECUTE format('CREATE POLICY tenant_isolation ON %I TO quorate_app USING (tenant_id = app_tenant_id()) WITH CHECK (tenant_id = app_tenant_id())', t);
    EXECUTE format('CREATE POLICY system_access ON %I TO quorate_system USING (true) WITH CHECK (true)', t);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO quorate_system', t);
  END LOOP;
END $$;

ALTER TABLE tenants ENABLE ROW LEVEL SECURITY;
ALTER TABLE tenants FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant_isolation ON tenants TO quorate_app USING (id = app_tenant_id()) WITH CHECK (id = app_tenant_id());
CREATE POLICY system_access ON tenants TO quorate_system USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON tenants TO quorate_system;

-- What a request may touch at all. Not listed = no access: secrets, step_journal, reconcile_keys.
GRANT SELECT ON tenants TO quorate_app;
GRANT SELECT, INSERT, UPDATE ON api_tokens, provider_agents, provider_join_tokens, machine_requests, machines, events, operations TO quorate_app;
GRANT SELECT, INSERT, UPDATE, DELETE ON clusters, machine_sets, machine_classes, providers, config_patches, idempotency_keys TO quorate_app;
GRANT SELECT ON machine_request_sets, cluster_machines TO quorate_app;
GRANT SELECT, INSERT ON outbox, audit_events TO quorate_app;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO quorate_app, quorate_system;

-- The audit trail is append-only, whoever asks.
CREATE FUNCTION audit_events_are_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'audit_events is append-only' USING ERRCODE = 'insufficient_privilege'; END $$;
CREATE TRIGGER audit_events_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_events
  FOR EACH STATEMENT EXECUTE FUNCTION audit_events_are_append_only();

-- Published order of changes; only the relay takes numbers, so they follow commits (docs/adr/0004).
CREATE SEQUENCE outbox_published_seq;
GRANT USAGE ON SEQUENCE outbox_published_seq TO quorate_system;
-- Up to here published rows are gone: a watch that resumes below it must list again. A sequence, because all may read it.
CREATE SEQUENCE outbox_pruned_seq MINVALUE 0 START 0;
GRANT SELECT ON SEQUENCE outbox_pruned_seq TO quorate_app, quorate_system;
GRANT UPDATE ON SEQUENCE outbox_pruned_seq TO quorate_system;
CREATE INDEX outbox_unpublished_idx ON outbox (id) WHERE seq IS NULL;
-- Wakes the relay at commit. It looks by itself, too: a lost notification costs seconds.
CREATE FUNCTION outbox_notify() RETURNS trigger LANGUAGE plpgsql
  AS $$ BEGIN PERFORM pg_notify('quorate_outbox', ''); RETURN NULL; END $$;
CREATE TRIGGER outbox_notify AFTER INSERT ON outbox FOR EACH STATEMENT EXECUTE FUNCTION outbox_notify();
-- Wakes the polls of a provider's agents at commit, whoever wrote the request. Equal notifications of one transaction are
-- sent once. A lease that runs out and a back-off that ends wake nobody: polls look by themselves every few seconds.
CREATE FUNCTION machine_requests_notify() RETURNS trigger LANGUAGE plpgsql
  AS $$ BEGIN PERFORM pg_notify('quorate_provider_work', NEW.provider_id::text); RETURN NULL; END $$;
CREATE TRIGGER machine_requests_notify_insert AFTER INSERT ON machine_requests
  FOR EACH ROW EXECUTE FUNCTION machine_requests_notify();
CREATE TRIGGER machine_requests_notify_update
  AFTER UPDATE OF phase, lease_holder, next_attempt_at, deprovision_requested_at, gate_opened_at ON machine_requests
  FOR EACH ROW WHEN (NEW.lease_holder IS NULL AND (NEW.gate_opened_at IS NOT NULL OR NEW.phase IN ('Pending', 'Failed')))
  EXECUTE FUNCTION machine_requests_notify();
CREATE INDEX step_journal_in_flight_idx ON step_journal (cluster_id) WHERE finished_at IS NULL;

-- Closed sets.
ALTER TABLE tenants ADD CONSTRAINT tenants_kind_check CHECK (kind IN ('tenant', 'platform'));
CREATE UNIQUE INDEX tenants_one_platform_key ON tenants (kind) WHERE kind = 'platform';
ALTER TABLE api_tokens ADD CONSTRAINT api_tokens_role_check CHECK (role IN ('viewer', 'operator', 'admin', 'platform-support', 'platform-admin'));
ALTER TABLE machine_sets ADD CONSTRAINT machine_sets_role_check CHECK (role IN ('control-plane', 'worker'));
ALTER TABLE machine_sets ADD CONSTRAINT machine_sets_source_kind_check CHECK (source_kind IN ('managed', 'machines', 'class'));
ALTER TABLE machine_requests ADD CONSTRAINT machine_requests_phase_check CHECK (phase IN ('Pending', 'Claimed', 'Provisioning', 'Provisioned', 'Joined', 'Failed', 'Deprovisioning', 'Deprovisioned'));
ALTER TABLE config_patches ADD CONSTRAINT config_patches_origin_check CHECK (origin IN ('tenant', 'provider', 'managed'));
ALTER TABLE operations ADD CONSTRAINT operations_state_check CHECK (state IN ('Pending', 'Running', 'Succeeded', 'Failed', 'Superseded'));
ALTER TABLE step_journal ADD CONSTRAINT step_journal_outcome_check CHECK (outcome IN ('done', 'failed', 'abandoned'));
ALTER TABLE outbox ADD CONSTRAINT outbox_change_check CHECK (change IN ('created', 'updated', 'deleted'));

-- Queues on PostgreSQL (no Redis configured): BullMQ makes its own tables here.
CREATE SCHEMA IF NOT EXISTS bullmq;
GRANT ALL ON SCHEMA bullmq TO quorate_system;
