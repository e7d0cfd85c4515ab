/** The shapes of what the audit has. */
import { type RowOf, row } from '../../operations/row.ts';
import type { Schemas } from '../../operations/schemas.ts';

/** In UTC with microseconds: a Date of JavaScript has only milliseconds. */
const microTime = ({ z }: Schemas) => z.iso.datetime();
const digest = ({ z }: Schemas) => z.string().describe('SHA-256, hexadecimal');

/** A decision as it is hashed (docs/audit.md). */
const decision = row((s) =>
  s.z
    .object({
      id: s.z.string(),
      seq: s.z.int().describe('its place in the chain of its item or target'),
      created_at: microTime(s),
      decided_by: s.z.string(),
      action: s.z.string(),
      note: s.z.string(),
      work_item_id: s.id().nullable(),
      target: s.z.string().nullable().describe('what it is about, if not a work item'),
      call_id: s.z.string().nullable(),
      salt: s.z.string().nullable().describe('null after the note was erased'),
      note_digest: digest(s),
      work_digest: digest(s).nullable(),
      subject_digest: digest(s).nullable(),
      previous_hash: digest(s).nullable(),
      hash: digest(s),
    })
    .meta({ id: 'Decision' }),
);
export type Decision = RowOf<typeof decision>;

/** A decision and what it was about, also after the item was deleted. */
const auditRow = row((s) =>
  decision(s)
    .extend({
      erased: s.z.boolean(),
      faculty: s.z.string().nullable(),
      submitted_by: s.z.string().nullable(),
      submitted_at: microTime(s).nullable(),
      focus_id: s.id().nullable(),
      turn: s.z.int().nullable(),
      tool: s.z.string().nullable(),
      ask_id: s.id().nullable().describe('the request that it decides'),
      subject: s.z.string().nullable().describe('what kind of request that is'),
      token_id: s.id().nullable().describe('with which a person decided'),
    })
    .meta({ id: 'AuditRow' }),
);
export type AuditRow = RowOf<typeof auditRow>;

/** A tool call that did not run because a rule, a hook or a person refused it. */
const refusedCall = row((s) =>
  s.z
    .object({
      action: s.z.literal('refuse'),
      created_at: microTime(s),
      work_item_id: s.id(),
      faculty: s.z.string(),
      submitted_by: s.z.string(),
      focus_id: s.id(),
      turn: s.z.int(),
      call_id: s.z.string(),
      tool: s.z.string(),
      refused_by: s.z.enum(['person', 'deadline', 'nobody', 'permission', 'hook', 'engine', 'tool']),
      rule: s.z
        .string()
        .nullable()
        .describe('the key of the rule, the name of the hook or the boundary, or why a person was asked'),
      decided_by: s.z.string().nullable(),
    })
    .meta({ id: 'RefusedCall' }),
);
export type RefusedCall = RowOf<typeof refusedCall>;

/** A line of the export; with `heads` a `Decision`. */
export const auditLine = row((s) => s.z.union([auditRow(s), refusedCall(s), decision(s)]).meta({ id: 'AuditLine' }));

/** What is wrong, and where. */
const chainFault = row((s) =>
  s.z.object({
    /**
     * `changed`: fields or note differ from what was hashed. `missing`: rows before this one. `reordered`: it had another number. `replaced`: the
     * row before is not the one that was there. `unchained`: it is in no chain.
     */
    fault: s.z.enum(['changed', 'missing', 'reordered', 'replaced', 'unchained']),
    id: s.z.string(),
    detail: s.z.string(),
    work_item_id: s.id().nullable().optional(),
    target: s.z.string().nullable().optional(),
    seq: s.z.int().optional(),
  }),
);
export type ChainFault = RowOf<typeof chainFault>;

/** What the check of all chains has found, at most 1,000 faults. */
export const chainsVerdict = row((s) =>
  s.z
    .object({
      intact: s.z.boolean(),
      decisions: s.z.int(),
      chains: s.z.int(),
      erased: s.z.int().describe('decisions whose note was erased'),
      faults: s.z.array(chainFault(s)),
    })
    .meta({ id: 'ChainsVerdict' }),
);
export type ChainsVerdict = RowOf<typeof chainsVerdict>;
