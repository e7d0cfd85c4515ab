// Written by `npm run client` from the OpenAPI document. Do not edit.

/** The types of the API: what its routes take and answer. */

import type { ApprovalsMethods } from './approvals.ts';
import type { ArtifactsMethods } from './artifacts.ts';
import type { AuditMethods } from './audit.ts';
import type { ChatsMethods } from './chats.ts';
import type { MemoryMethods } from './memory.ts';
import type { OperateMethods } from './operate.ts';
import type { PeopleMethods } from './people.ts';
import type { RecordMethods } from './record.ts';
import type { SandboxMethods } from './sandbox.ts';
import type { SchedulesMethods } from './schedules.ts';
import type { SkillsMethods } from './skills.ts';
import type { WebhooksMethods } from './webhooks.ts';
import type { WorkMethods } from './work.ts';
import type { WorkspacesMethods } from './workspaces.ts';

export type * from './approvals.ts';
export type * from './artifacts.ts';
export type * from './audit.ts';
export type * from './chats.ts';
export type * from './memory.ts';
export type * from './operate.ts';
export type * from './people.ts';
export type * from './record.ts';
export type * from './sandbox.ts';
export type * from './schedules.ts';
export type * from './shared.ts';
export type * from './skills.ts';
export type * from './webhooks.ts';
export type * from './work.ts';
export type * from './workspaces.ts';
/** The methods of a client, one for each route. */
export interface Api {
  /** Files of work. */
  readonly artifacts: ArtifactsMethods;
  /** Conversations with a faculty. */
  readonly chats: ChatsMethods;
  /** Workspaces and their files. */
  readonly workspaces: WorkspacesMethods;
  /** People and their tokens. */
  readonly people: PeopleMethods;
  /** Work items: submit, find, steer and cancel them. */
  readonly work: WorkMethods;
  /** Faculties, pauses, status and spend. */
  readonly operate: OperateMethods;
  /** What was recorded of work: ledger, foci, turns and tool calls. */
  readonly record: RecordMethods;
  /** What waits for the decision of a person. */
  readonly approvals: ApprovalsMethods;
  /** What agents and people remember. */
  readonly memory: MemoryMethods;
  /** Code that runs in a container. */
  readonly sandbox: SandboxMethods;
  /** Skills that agents wrote. */
  readonly skills: SkillsMethods;
  /** Work that is submitted at set times. */
  readonly schedules: SchedulesMethods;
  /** Signed requests that tell other servers what happened. */
  readonly webhooks: WebhooksMethods;
  /** Who decided what. */
  readonly audit: AuditMethods;
}
