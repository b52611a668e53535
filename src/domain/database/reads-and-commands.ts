import type { ApiKeyCommands, ApiKeyReads } from '../access/api-key.ts';
import type { AuditReads } from '../access/audit-entry.ts';
import type { ConsoleCommands, ConsoleReads } from '../access/console-session.ts';
import type { WorkspaceCommands, WorkspaceReads } from '../access/workspace.ts';
import type { CategoryCommands, CategoryReads } from '../category.ts';
import type { EventCommands, EventReads } from '../event.ts';
import type { OrderCommands, OrderReads } from '../order.ts';
import type { PetCommands, PetReads } from '../pet.ts';
import type { WebhookCommands } from '../webhook.ts';
import type { WebhookReads } from '../webhook-reads.ts';
import type { IdempotencyCommands } from './idempotency-key.ts';
import type { MetaCommands, MetaReads } from './meta.ts';

/** All reads. */
export interface Reads
  extends PetReads,
    CategoryReads,
    OrderReads,
    EventReads,
    WebhookReads,
    WorkspaceReads,
    ApiKeyReads,
    ConsoleReads,
    AuditReads,
    MetaReads {}

/**
 * All commands. Each is done completely or not at all. Commands that change a key, a webhook or a workspace, or sign in to the
 * console, add to the audit trail.
 */
export interface Commands
  extends PetCommands,
    CategoryCommands,
    OrderCommands,
    EventCommands,
    WebhookCommands,
    WorkspaceCommands,
    ApiKeyCommands,
    ConsoleCommands,
    IdempotencyCommands,
    MetaCommands {}
