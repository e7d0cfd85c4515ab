/** The ledger tools. They only use this database, so effect and journal row are one transaction. */
import { z } from 'zod';
import { LEDGER_TYPES } from '../core/work/work.ts';
import { appendLedger, readChainLedger } from '../store/transcript/ledger.ts';
import { someText } from './some-text.ts';
import { databaseTool, type Tool } from './tool.ts';

const MAX_CONTENT_CHARS = 16_000;

const ledgerAppend = databaseTool({
  name: 'ledger_append',
  description: 'Adds an entry to the ledger: short and concrete, with names, paths and numbers.',
  words: {},
  risk: 'write',
  input: z.strictObject({
    type: z.enum(LEDGER_TYPES).describe('the kind of entry'),
    content: someText(MAX_CONTENT_CHARS).describe('one entry: short, concrete, with names, paths and numbers'),
  }),
  async run(input, context, tx) {
    const seq = await appendLedger(tx, context.workItemId, input.type, input.content, {
      leaseToken: context.leaseToken,
      focusId: context.focusId,
      toolCallId: context.callId,
    });
    return { content: `recorded as entry ${seq}`, details: { seq, type: input.type, content: input.content } };
  },
});

const ledgerRead = databaseTool({
  name: 'ledger_read',
  description: 'Reads the last entries of the ledger, of one type or all.',
  words: {},
  risk: 'read',
  input: z.strictObject({
    type: z.enum(LEDGER_TYPES).optional().describe('only entries of this type'),
    last: z.int().min(1).max(1000).default(100).describe('how many entries to read, counted from the newest'),
  }),
  async run(input, context, tx) {
    const entries = await readChainLedger(tx, context.workItemId, {
      last: input.last,
      ...(input.type && { type: input.type }),
    });
    const data = () => ({ entries: entries.map(({ seq, type, content }) => ({ seq, type, content })) });
    if (entries.length === 0) return { content: 'the ledger has no such entries', data };
    return { content: entries.map((entry) => `${entry.seq}. [${entry.type}] ${entry.content}`).join('\n'), data };
  },
});

export const LEDGER_TOOLS: readonly Tool[] = [ledgerAppend, ledgerRead];
