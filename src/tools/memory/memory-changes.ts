/** memory_store, memory_update and memory_forget. They only use this database, so each happens exactly once. */
import { z } from 'zod';
import { forgetMemory, MEMORY_LAYERS, storeMemory, updateMemory } from '../../store/memory/memories.ts';
import { someText } from '../some-text.ts';
import { databaseTool, toolError } from '../tool.ts';

/** Beyond this, a memory is a document: 32 KiB is what the database takes, of any script. */
const MAX_CONTENT_CHARS = 8000;

const content = someText(MAX_CONTENT_CHARS);
const kind = z.string().regex(/^[a-z][a-z0-9_-]{0,49}$/);
const tags = z.array(someText(100)).max(20);
const entryNumber = z.int().min(1).max(2_000_000_000).optional();

export const memoryStore = databaseTool({
  name: 'memory_store',
  description:
    'Stores one thing that later work should know: a fact, a preference, a procedure, a lesson. Write it so that it is understood without this work, ' +
    'with names, dates and numbers. Others will read it: never store secrets. The same text is stored once.',
  risk: 'write',
  input: z.strictObject({
    content: content.describe('one thing, understood by itself'),
    layer: z
      .enum(MEMORY_LAYERS)
      .describe(
        'task: for this work and its child work, deleted with it; project: for work on the project; global: for all work',
      ),
    kind: kind.default('fact').describe('one word: fact, preference, procedure, lesson, decision or another one'),
    project: someText(200).optional().describe('of layer project; default: the project of this work'),
    tags: tags.optional().describe('words to find it by, at most 20'),
    ledger_entry: entryNumber.describe('number of the ledger entry that it comes from (default: the newest)'),
  }),
  async run({ ledger_entry: ledgerEntry, ...memory }, context, tx) {
    const { id, merged } = await storeMemory(tx, { ...memory, ledgerEntry }, context);
    const content = merged
      ? `the same text was stored before as memory ${id}; it has this source and these tags now, too`
      : `stored as memory ${id}`;
    return { content, details: { id, merged } };
  },
});

export const memoryUpdate = databaseTool({
  name: 'memory_update',
  description:
    'Changes a memory that is wrong, incomplete or out of date; what you leave out stays as it is. Prefer this to a second memory that says otherwise. ' +
    'With `merge`, two memories that say the same become one.',
  risk: 'write',
  input: z.strictObject({
    id: z.uuid().describe('of the memory, as memory_search shows it'),
    content: content.optional().describe('the whole new text'),
    kind: kind.optional().describe('the new kind'),
    tags: tags.optional().describe('all tags that it has from now on'),
    merge: z.uuid().optional().describe('another memory of its layer that says the same: it becomes part of this one'),
    ledger_entry: entryNumber.describe('number of the ledger entry that the change comes from (default: the newest)'),
  }),
  async run({ id, ledger_entry: ledgerEntry, ...changes }, context, tx) {
    if (Object.values(changes).every((value) => value === undefined))
      return toolError('nothing to change: give content, kind, tags or merge');
    const { id: changed, mergedIds } = await updateMemory(tx, id, { ...changes, ledgerEntry }, context);
    const led = changed === id ? '' : `memory ${id} was merged into ${changed} before; `;
    const merged = mergedIds.map((each) => `; memory ${each} is part of it now`).join('');
    return { content: `${led}memory ${changed} is changed${merged}`, details: { id: changed, merged: mergedIds } };
  },
});

export const memoryForget = databaseTool({
  name: 'memory_forget',
  description:
    'Deletes a memory permanently, with its history. What work has read of it stays in the records of that work. For one that is only out of date, use memory_update.',
  risk: 'write',
  input: z.strictObject({
    id: z.uuid().describe('of the memory, as memory_search shows it'),
    reason: someText(500).describe('why; it is shown to people'),
  }),
  async run({ id, reason }, context, tx) {
    const forgotten = await forgetMemory(tx, id, reason, context);
    return { content: `memory ${forgotten} is forgotten`, details: { id: forgotten, reason } };
  },
});
