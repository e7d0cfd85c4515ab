/** What answers about the audit are. */
import { z } from 'zod';
import { id } from '../../operations/schemas.ts';

/** In UTC with microseconds. */
const microTime = () => z.iso.datetime();
const digest = () => z.string().describe('SHA-256, hexadecimal');

/** A decision as it is hashed (docs/audit.md). */
const decision = z
  .object({
    id: z.string(),
    seq: z.int().describe('its place in the chain of its item or target'),
    created_at: microTime(),
    decided_by: z.string(),
    action: z.string(),
    note: z.string(),
    work_item_id: id().nullable(),
    target: z.string().nullable().describe('what it is about, if not a work item'),
    call_id: z.string().nullable(),
    salt: z.string().nullable().describe('null after the note was erased'),
    note_digest: digest(),
    work_digest: digest().nullable(),
    subject_digest: digest().nullable(),
    previous_hash: digest().nullable(),
    hash: digest(),
  })
  .meta({ id: 'Decision' });

const auditRow = decision
  .extend({
    erased: z.boolean(),
    faculty: z.string().nullable(),
    submitted_by: z.string().nullable(),
    submitted_at: microTime().nullable(),
    focus_id: id().nullable(),
    turn: z.int().nullable(),
    tool: z.string().nullable(),
    ask_id: id().nullable().describe('the request that it decides'),
    subject: z.string().nullable().describe('what kind of request that is'),
    token_id: id().nullable().describe('with which a person decided'),
  })
  .meta({ id: 'AuditRow' });

const refusedCall = z
  .object({
    action: z.literal('refuse'),
    created_at: microTime(),
    work_item_id: id(),
    faculty: z.string(),
    submitted_by: z.string(),
    focus_id: id(),
    turn: z.int(),
    call_id: z.string(),
    tool: z.string(),
    refused_by: z.enum(['person', 'deadline', 'nobody', 'permission', 'hook', 'engine']),
    rule: z.string().nullable().describe('the key of the rule, the name of the hook, or why a person was asked'),
    decided_by: z.string().nullable(),
  })
  .meta({ id: 'RefusedCall' });

/** A line of the export; with `heads` a `Decision`. */
export const auditLine = z.union([auditRow, refusedCall, decision]).meta({ id: 'AuditLine' });

/** What the check of all chains has found. */
export const chainsVerdict = z
  .object({
    intact: z.boolean(),
    decisions: z.int(),
    chains: z.int(),
    erased: z.int().describe('decisions whose note was erased'),
    faults: z.array(
      z.object({
        fault: z.enum(['changed', 'missing', 'reordered', 'replaced', 'unchained']),
        id: z.string(),
        detail: z.string(),
        work_item_id: id().nullable().optional(),
        target: z.string().nullable().optional(),
        seq: z.int().optional(),
      }),
    ),
  })
  .meta({ id: 'ChainsVerdict' });
