-- First schema: every table of the foundation. Creates only; no lock matters. Roll back by dropping the database.
-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "tenants" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "display_name" TEXT NOT NULL,
    "kind" TEXT NOT NULL DEFAULT 'tenant',
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "tenants_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "api_tokens" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6),
    "revoked_at" TIMESTAMPTZ(6),
    "last_used_at" TIMESTAMPTZ(6),

    CONSTRAINT "api_tokens_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "clusters" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "spec" JSONB NOT NULL,
    "template_text" TEXT NOT NULL,
    "managed" BOOLEAN NOT NULL DEFAULT false,
    "generation" INTEGER NOT NULL DEFAULT 1,
    "delete_requested_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "version" INTEGER NOT NULL DEFAULT 1,
    "observed_generation" INTEGER NOT NULL DEFAULT 0,
    "state" TEXT NOT NULL DEFAULT 'Pending',
    "conditions" JSONB NOT NULL DEFAULT '[]',
    "explain" JSONB NOT NULL DEFAULT '{}',
    "endpoint_host" TEXT NOT NULL,
    "bootstrap_machine_id" UUID,
    "bootstrap_pinned_at" TIMESTAMPTZ(6),
    "bootstrap_sent_at" TIMESTAMPTZ(6),
    "bootstrapped_at" TIMESTAMPTZ(6),

    CONSTRAINT "clusters_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "machine_sets" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "cluster_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "source_kind" TEXT NOT NULL,
    "source" JSONB NOT NULL,
    "replicas" INTEGER NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "machine_sets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "machine_classes" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "provider_id" UUID NOT NULL,
    "shape" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "machine_classes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "providers" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "alias" TEXT,
    "hidden" BOOLEAN NOT NULL DEFAULT false,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_heartbeat_at" TIMESTAMPTZ(6),
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "providers_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "provider_agents" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "provider_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "software_version" TEXT NOT NULL,
    "registered_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_heartbeat_at" TIMESTAMPTZ(6),
    "revoked_at" TIMESTAMPTZ(6),

    CONSTRAINT "provider_agents_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "provider_join_tokens" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "provider_id" UUID NOT NULL,
    "hash" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6),
    "revoked_at" TIMESTAMPTZ(6),

    CONSTRAINT "provider_join_tokens_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "machine_request_sets" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "cluster_id" UUID NOT NULL,
    "machine_set_id" UUID NOT NULL,
    "provider_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "replicas" INTEGER NOT NULL,
    "shape" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "machine_request_sets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "machine_requests" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "cluster_id" UUID NOT NULL,
    "request_set_id" UUID NOT NULL,
    "provider_id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "spec" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deprovision_requested_at" TIMESTAMPTZ(6),
    "gate_opened_at" TIMESTAMPTZ(6),
    "gate_reason" TEXT,
    "phase" TEXT NOT NULL DEFAULT 'Pending',
    "step" JSONB,
    "attempt" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_at" TIMESTAMPTZ(6),
    "last_error" JSONB,
    "lease_holder" UUID,
    "lease_expires_at" TIMESTAMPTZ(6),
    "fencing_token" BIGINT NOT NULL DEFAULT 0,
    "provider_machine_ref" TEXT,
    "machine_id" UUID,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "machine_requests_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "machines" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "provider_id" UUID NOT NULL,
    "request_id" UUID,
    "provider_machine_ref" TEXT NOT NULL,
    "addresses" JSONB NOT NULL DEFAULT '[]',
    "talos_endpoint" TEXT NOT NULL,
    "kubernetes_endpoint" TEXT NOT NULL,
    "first_seen_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_seen_at" TIMESTAMPTZ(6),
    "missing_since" TIMESTAMPTZ(6),
    "gone_at" TIMESTAMPTZ(6),
    "version" INTEGER NOT NULL DEFAULT 1,
    "cluster_id" UUID,
    "machine_set_id" UUID,
    "hostname" TEXT,
    "config_hash" TEXT,
    "config_applied_at" TIMESTAMPTZ(6),
    "config_rejection" JSONB,
    "reset_sent_at" TIMESTAMPTZ(6),
    "facts" JSONB NOT NULL DEFAULT '{}',
    "facts_at" TIMESTAMPTZ(6),

    CONSTRAINT "machines_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "cluster_machines" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "cluster_id" UUID NOT NULL,
    "set_name" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "managed" BOOLEAN NOT NULL,
    "state" TEXT NOT NULL,
    "ready" BOOLEAN NOT NULL,
    "talos_version" TEXT,
    "message" TEXT NOT NULL DEFAULT '',
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "cluster_machines_pkey" PRIMARY KEY ("tenant_id","id")
);

-- CreateTable
CREATE TABLE "config_patches" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "cluster_id" UUID NOT NULL,
    "machine_set_id" UUID,
    "machine_id" UUID,
    "name" TEXT NOT NULL,
    "weight" INTEGER NOT NULL,
    "origin" TEXT NOT NULL,
    "content" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "config_patches_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "secrets" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "cluster_id" UUID,
    "name" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "envelope" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_at" TIMESTAMPTZ(6),

    CONSTRAINT "secrets_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "operations" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "cluster_id" UUID,
    "cluster_name" TEXT,
    "kind" TEXT NOT NULL,
    "state" TEXT NOT NULL DEFAULT 'Pending',
    "generation" INTEGER NOT NULL DEFAULT 0,
    "steps" JSONB NOT NULL DEFAULT '[]',
    "message" TEXT NOT NULL DEFAULT '',
    "error" JSONB,
    "requested_by" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "updated_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(6),
    "version" INTEGER NOT NULL DEFAULT 1,

    CONSTRAINT "operations_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "events" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "cluster_id" UUID,
    "type" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "count" INTEGER NOT NULL DEFAULT 1,
    "first_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "last_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "audit_events" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "seq" BIGINT NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL,
    "actor" TEXT NOT NULL,
    "action" TEXT NOT NULL,
    "object" TEXT NOT NULL,
    "outcome" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "detail" JSONB NOT NULL DEFAULT '{}',
    "prev_hash" BYTEA NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "audit_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "outbox" (
    "id" BIGSERIAL NOT NULL,
    "tenant_id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "object_id" UUID NOT NULL,
    "change" TEXT NOT NULL,
    "hint_key" TEXT,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "seq" BIGINT,
    "published_at" TIMESTAMPTZ(6),

    CONSTRAINT "outbox_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "idempotency_keys" (
    "tenant_id" UUID NOT NULL,
    "principal" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "key" TEXT NOT NULL,
    "request_hash" BYTEA NOT NULL,
    "status" INTEGER,
    "response" JSONB,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("tenant_id","principal","route","key")
);

-- CreateTable
CREATE TABLE "reconcile_keys" (
    "key" TEXT NOT NULL,
    "tenant_id" UUID NOT NULL,
    "due_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "owner" TEXT,
    "fence" BIGINT NOT NULL DEFAULT 0,
    "lease_expires_at" TIMESTAMPTZ(6),
    "failures" INTEGER NOT NULL DEFAULT 0,
    "last_error" TEXT,
    "started_at" TIMESTAMPTZ(6),
    "finished_at" TIMESTAMPTZ(6),

    CONSTRAINT "reconcile_keys_pkey" PRIMARY KEY ("key")
);

-- CreateTable
CREATE TABLE "step_journal" (
    "id" UUID NOT NULL,
    "tenant_id" UUID NOT NULL,
    "cluster_id" UUID NOT NULL,
    "type" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "because" TEXT NOT NULL,
    "disruptive" BOOLEAN NOT NULL,
    "fence" BIGINT NOT NULL,
    "owner" TEXT NOT NULL,
    "deadline_at" TIMESTAMPTZ(6) NOT NULL,
    "started_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "finished_at" TIMESTAMPTZ(6),
    "outcome" TEXT,
    "error" TEXT,

    CONSTRAINT "step_journal_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "tenants_name_key" ON "tenants"("name");

-- CreateIndex
CREATE UNIQUE INDEX "api_tokens_hash_key" ON "api_tokens"("hash");

-- CreateIndex
CREATE UNIQUE INDEX "api_tokens_tenant_id_name_key" ON "api_tokens"("tenant_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "clusters_endpoint_host_key" ON "clusters"("endpoint_host");

-- CreateIndex
CREATE INDEX "clusters_tenant_id_created_at_idx" ON "clusters"("tenant_id", "created_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "clusters_tenant_id_name_key" ON "clusters"("tenant_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "machine_sets_tenant_id_cluster_id_name_key" ON "machine_sets"("tenant_id", "cluster_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "machine_classes_tenant_id_name_key" ON "machine_classes"("tenant_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "providers_alias_key" ON "providers"("alias");

-- CreateIndex
CREATE UNIQUE INDEX "providers_tenant_id_name_key" ON "providers"("tenant_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "provider_agents_tenant_id_provider_id_name_key" ON "provider_agents"("tenant_id", "provider_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "provider_join_tokens_hash_key" ON "provider_join_tokens"("hash");

-- CreateIndex
CREATE UNIQUE INDEX "machine_request_sets_machine_set_id_key" ON "machine_request_sets"("machine_set_id");

-- CreateIndex
CREATE INDEX "machine_request_sets_tenant_id_cluster_id_idx" ON "machine_request_sets"("tenant_id", "cluster_id");

-- CreateIndex
CREATE INDEX "machine_requests_tenant_id_provider_id_phase_idx" ON "machine_requests"("tenant_id", "provider_id", "phase");

-- CreateIndex
CREATE INDEX "machine_requests_cluster_id_idx" ON "machine_requests"("cluster_id");

-- CreateIndex
CREATE UNIQUE INDEX "machine_requests_tenant_id_request_set_id_name_key" ON "machine_requests"("tenant_id", "request_set_id", "name");

-- CreateIndex
CREATE UNIQUE INDEX "machine_requests_provider_machine_ref_key" ON "machine_requests"("tenant_id", "provider_id", "provider_machine_ref");

-- CreateIndex
CREATE UNIQUE INDEX "machines_request_id_key" ON "machines"("request_id");

-- CreateIndex
CREATE INDEX "machines_cluster_id_idx" ON "machines"("cluster_id");

-- CreateIndex
CREATE UNIQUE INDEX "machines_provider_machine_ref_key" ON "machines"("tenant_id", "provider_id", "provider_machine_ref");

-- CreateIndex
CREATE UNIQUE INDEX "cluster_machines_tenant_id_cluster_id_name_key" ON "cluster_machines"("tenant_id", "cluster_id", "name");

-- CreateIndex
CREATE INDEX "config_patches_tenant_id_cluster_id_weight_name_idx" ON "config_patches"("tenant_id", "cluster_id", "weight", "name");

-- CreateIndex
CREATE UNIQUE INDEX "secrets_cluster_id_key" ON "secrets"("cluster_id");

-- CreateIndex
CREATE UNIQUE INDEX "secrets_tenant_id_name_key" ON "secrets"("tenant_id", "name");

-- CreateIndex
CREATE INDEX "operations_tenant_id_created_at_idx" ON "operations"("tenant_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "operations_tenant_id_cluster_id_idx" ON "operations"("tenant_id", "cluster_id");

-- CreateIndex
CREATE INDEX "events_tenant_id_last_at_idx" ON "events"("tenant_id", "last_at", "id");

-- CreateIndex
CREATE UNIQUE INDEX "events_tenant_id_cluster_id_reason_key" ON "events"("tenant_id", "cluster_id", "type", "reason", "message");

-- CreateIndex
CREATE UNIQUE INDEX "audit_events_tenant_id_seq_key" ON "audit_events"("tenant_id", "seq");

-- CreateIndex
CREATE UNIQUE INDEX "outbox_seq_key" ON "outbox"("seq");

-- CreateIndex
CREATE INDEX "outbox_tenant_id_seq_idx" ON "outbox"("tenant_id", "seq");

-- CreateIndex
CREATE INDEX "reconcile_keys_due_at_idx" ON "reconcile_keys"("due_at");

-- CreateIndex
CREATE INDEX "step_journal_cluster_id_started_at_idx" ON "step_journal"("cluster_id", "started_at");

