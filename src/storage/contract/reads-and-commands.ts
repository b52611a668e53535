import type { ApiKeyCommands, ApiKeyReads } from '../../domain/access/api-key.ts';
import type { AuditReads } from '../../domain/access/audit-entry.ts';
import type { ConsoleCommands, ConsoleReads } from '../../domain/access/console-session.ts';
import type { WorkspaceCommands, WorkspaceReads } from '../../domain/access/workspace.ts';
import type { CategoryCommands, CategoryReads } from '../../domain/category.ts';
import type { EventCommands, EventReads } from '../../domain/event.ts';
import type { ImportCommands, ImportReads } from '../../domain/import.ts';
import type { OrderCommands, OrderReads } from '../../domain/order.ts';
import type { PetCommands, PetReads } from '../../domain/pet.ts';
import type { PetPositionReads } from '../../domain/pet-position.ts';
import type { WebhookCommands } from '../../domain/webhook.ts';
import type { WebhookReads } from '../../domain/webhook-reads.ts';
import type { IdempotencyCommands } from './idempotency-key.ts';
import type { MetaCommands, MetaReads } from './meta.ts';

/** All reads. */
export interface Reads
  extends PetReads,
    PetPositionReads,
    CategoryReads,
    OrderReads,
    EventReads,
    ImportReads,
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
    ImportCommands,
    WebhookCommands,
    WorkspaceCommands,
    ApiKeyCommands,
    ConsoleCommands,
    IdempotencyCommands,
    MetaCommands {}
