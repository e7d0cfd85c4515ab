/** What can be read of the record of work, and what a person adds to it. */
import { LEDGER_TYPES } from '../../core/work/work.ts';
import { cursor, readCursor, writeCursor } from '../../operations/cursor.ts';
import { choice, flag, id, limit, optional, terminalOnly, text, whole } from '../../operations/fields.ts';
import { ledgerEntry, readLedger as readEntries } from '../../operations/ledger.ts';
import { READS, smallPage } from '../../operations/mcp-offer.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { pageOf } from '../../operations/page-of.ts';
import { appendLedger } from '../../store/transcript/ledger.ts';
import { requireVisibleWork } from '../../store/views/views-of-login.ts';
import * as store from './store.ts';
import { showCall, showRequest, showTimeline, showTurn } from './turn-operations.ts';

const ofItem = { tag: 'record', scope: 'read', errors: ['work.not_found'] } as const;
const at = <Path extends string>(path: Path) => ({ method: 'GET', path: `/work/{id}/${path}` }) as const;

export const readLedger = operation({
  ...ofItem,
  name: 'readLedger',
  summary: 'The ledger of an item, in order',
  http: at('ledger'),
  input: {
    id: id(),
    type: optional(choice(LEDGER_TYPES, { description: 'only entries of this type' })),
    after: whole({
      min: 0,
      max: 2_147_483_647,
      default: 0,
      description: 'the `next` of the page before, or the `seq` of an entry',
    }),
    last: terminalOnly(whole({ min: 1, max: 1_000_000 })),
    limit: limit(),
  },
  output: (s) => s.page(ledgerEntry(s)),
  mcp: {
    name: 'read_ledger',
    description: 'The ledger of an item, in order: plans, findings, decisions, steps, errors and notes of its agent.',
    hints: READS,
    instead: smallPage,
  },
  async run({ tx, views }, { id: item, limit: most, ...filter }) {
    const from = await views();
    await requireVisibleWork(tx, item, from);
    return pageOf(await readEntries(tx, item, from, { ...filter, limit: most + 1 }), most, ({ seq }) => String(seq));
  },
});

export const appendEntry = operation({
  name: 'appendLedger',
  tag: 'record',
  summary: 'Append an entry to the ledger of an item; for operators',
  scope: 'decide',
  http: { method: 'POST', path: '/work/{id}/ledger', status: 201 },
  input: { id: id(), type: choice(LEDGER_TYPES), content: text({ min: 1 }) },
  output: (s) => s.z.object({ seq: s.z.int() }),
  errors: ['work.not_found', 'work.invalid'],
  async run({ tx, views }, { id: item, type, content }) {
    await requireVisibleWork(tx, item, await views());
    return { seq: await appendLedger(tx, item, type, content) };
  },
});

const listFoci = operation({
  ...ofItem,
  name: 'listFoci',
  summary: 'The foci of an item: each activation of its faculty',
  http: at('foci'),
  input: { id: id() },
  output: (s) => s.z.object({ items: s.z.array(store.focus(s)) }),
  async run({ tx }, { id: item }) {
    await requireVisibleWork(tx, item);
    return { items: await store.readFoci(tx, item) };
  },
});

const listTurns = operation({
  ...ofItem,
  name: 'listTurns',
  summary: 'The turns of an item: each answer of a model, oldest first',
  http: at('turns'),
  input: { id: id(), after: cursor(), limit: limit() },
  output: (s) => s.page(store.turn(s)),
  async run({ tx }, { id: item, after, limit: most }) {
    await requireVisibleWork(tx, item);
    const rows = await store.readTurns(tx, item, readCursor(['id', 'int'], after), most + 1);
    return pageOf(rows, most, (row) => writeCursor([row.focus_id, row.turn]));
  },
});

const listCalls = operation({
  ...ofItem,
  name: 'listToolCalls',
  summary: 'The tool calls of an item, oldest first',
  http: at('tool-calls'),
  input: {
    id: id(),
    full: flag({ default: false, description: 'whole outputs; otherwise their first 2,000 characters' }),
    after: cursor(),
    limit: limit(),
  },
  output: (s) => s.page(store.call(s)),
  async run({ tx }, { id: item, full, after, limit: most }) {
    await requireVisibleWork(tx, item);
    const from = readCursor(['id', 'int', 'int', 'text'], after);
    const rows = await store.readCalls(tx, item, from, { full, limit: most + 1 });
    return pageOf(rows, most, (row) => writeCursor([row.focus_id, row.turn, row.position, row.call_id]));
  },
});

const listMail = operation({
  ...ofItem,
  name: 'listMail',
  summary: 'The messages to an item, oldest first, and when its model got each',
  http: at('messages'),
  input: { id: id(), after: text({ pattern: /^\d{1,18}$/, default: '0' }), limit: limit() },
  output: (s) => s.page(store.mail(s)),
  async run({ tx }, { id: item, after, limit: most }) {
    await requireVisibleWork(tx, item);
    return pageOf(await store.readMail(tx, item, after, most + 1), most, (row) => row.id);
  },
});

const listContext = operation({
  ...ofItem,
  name: 'listContext',
  summary: 'What the engine wrote into the contexts of an item, oldest first',
  http: at('context'),
  input: { id: id(), after: cursor(), limit: limit() },
  output: (s) => s.page(store.message(s)),
  async run({ tx }, { id: item, after, limit: most }) {
    await requireVisibleWork(tx, item);
    const rows = await store.readMessages(tx, item, readCursor(['id', 'int'], after), most + 1);
    return pageOf(rows, most, (row) => writeCursor([row.focus_id, row.seq]));
  },
});

const listWaits = operation({
  ...ofItem,
  name: 'listWaits',
  summary: 'What an item waits for now, oldest first',
  http: at('waits'),
  input: { id: id() },
  output: (s) => s.z.object({ items: s.z.array(store.wait(s)) }),
  async run({ tx }, { id: item }) {
    await requireVisibleWork(tx, item);
    return { items: await store.readWaits(tx, item) };
  },
});

const listActivations = operation({
  ...ofItem,
  name: 'listActivations',
  summary: 'The skills that an item has used, and why',
  http: at('skills'),
  input: { id: id() },
  output: (s) => s.z.object({ items: s.z.array(store.activation(s)) }),
  async run({ tx }, { id: item }) {
    await requireVisibleWork(tx, item);
    return { items: await store.readActivations(tx, item) };
  },
});

const showBudget = operation({
  ...ofItem,
  name: 'showWorkBudget',
  summary: 'The limits that apply to an item, and what is left of them',
  http: at('budget'),
  input: { id: id() },
  output: (s) => s.z.object({ items: s.z.array(store.budgetLeft(s)).readonly() }),
  async run({ tx }, { id: item }) {
    await requireVisibleWork(tx, item);
    return { items: await store.readBudget(tx, item) };
  },
});

/** In the order of the OpenAPI document. */
export const recordOperations: readonly Operation[] = [
  readLedger,
  appendEntry,
  listFoci,
  listTurns,
  showTurn,
  showRequest,
  showCall,
  showTimeline,
  listCalls,
  listMail,
  listContext,
  listWaits,
  listActivations,
  showBudget,
];
