/** Lists of work, and how much there is of it, by any of its properties. */
import { readCursor, readIdCursor, writeCursor } from '../../operations/cursor.ts';
import {
  choice,
  facultyName,
  type InputOf,
  id,
  limit,
  list,
  number,
  optional,
  other,
  text,
  time,
} from '../../operations/fields.ts';
import { READS, smallPage } from '../../operations/mcp-offer.ts';
import { operation } from '../../operations/operation.ts';
import { pageOf } from '../../operations/page-of.ts';
import { listWork as listRows, readListed } from '../../operations/read-work.ts';
import type { Schemas } from '../../operations/schemas.ts';
import { workSummary } from '../../operations/work-rows.ts';
import { countWork as countRows, type FoundPlace, findWork, type WorkFilter, type WorkSort } from './found.ts';

const some = { min: 1, max: 20 } as const;
const FILTER = {
  state: optional(
    list(
      other((s) => s.workState()),
      { ...some, description: 'only those in one of these states' },
    ),
  ),
  faculty: optional(list(facultyName(), { ...some, description: 'only those of one of these faculties' })),
  submitted_by: optional(
    list(text({ min: 1, max: 300 }), { ...some, description: 'only those of one of these, such as `person:olga`' }),
  ),
  since: optional(time({ description: 'submitted since then' })),
  until: optional(time({ description: 'submitted before' })),
  ended_since: optional(time({ description: 'ended since then' })),
  ended_until: optional(time({ description: 'ended before' })),
  min_cost_usd: optional(number({ min: 0, max: 1e9, description: 'has cost at least this' })),
  error: optional(text({ min: 1, max: 100, description: 'the code of its error, such as `llm.overloaded`' })),
  root: optional(id({ description: 'an item, and all that is below it' })),
  parent: optional(id({ description: 'only children of this item' })),
  q: optional(
    text({
      min: 1,
      max: 1000,
      description: 'words, each by its beginning, all of which are in its description, outcome, error or ledger',
    }),
  ),
};
type Filter = InputOf<typeof FILTER>;

export const WORK_SORTS = ['newest', 'oldest', 'ended', 'cost', 'duration', 'priority'] as const;

const times = ({ timeIn }: Schemas) => {
  const at = timeIn().optional();
  return { since: at, until: at, ended_since: at, ended_until: at };
};

export const listWork = operation({
  name: 'listWork',
  tag: 'work',
  summary: 'Work items that pass a filter, newest first or as `sort` says',
  scope: 'read',
  http: { method: 'GET', path: '/work' },
  input: {
    ...FILTER,
    sort: choice(WORK_SORTS, {
      name: 'WorkSort',
      default: 'newest',
      description: '`ended`: the last end first; `cost`, `priority`, `duration` (of ended work): the highest first',
    }),
    after: optional(text({ min: 1, max: 1000 })),
    limit: limit(),
  },
  output: (s) =>
    s.page(workSummary(s)).extend({
      partial: s.z
        .boolean()
        .describe(
          'true: `sort` looked only at the newest of the items that match; a narrower filter has it look at all',
        ),
    }),
  errors: ['work.invalid'],
  mcp: {
    name: 'list_work',
    description:
      'Work items, newest first, that pass a filter. A page may be empty and have a "next": then there may be more further back.',
    hints: READS,
    instead: (s) => ({ ...smallPage(s), ...times(s) }),
  },
  async run({ tx, views }, { sort, after, limit: most, ...filter }) {
    const from = await views();
    const { state: states = [], faculty: faculties = [], parent: parentId, ...others } = filter;
    const simple =
      Math.max(states.length, faculties.length) < 2 && Object.values(others).every((one) => one === undefined);
    const begin = cursorOf(sort, after);
    if (simple && sort === 'newest') {
      const [state, faculty] = [states[0], faculties[0]];
      const rows = await listRows(tx, { state, faculty, parentId, after: begin?.id, limit: most + 1 }, from);
      return { ...pageOf(rows, most, (row) => row.id), partial: false };
    }
    const { ids, next, partial } = await findWork(tx, filterOf(filter), { sort, after: begin, limit: most });
    return { items: await readListed(tx, ids, from), next: next && nextOf(sort, next), partial };
  },
});

export const countWork = operation({
  name: 'countWork',
  tag: 'work',
  summary: 'How many work items pass a filter, by their state',
  scope: 'read',
  http: { method: 'GET', path: '/work/counts' },
  input: FILTER,
  output: (s) =>
    s.z
      .object({
        items: s.z.int().describe('the sum'),
        more: s.z.boolean().describe('there may be more: of some state, only the newest items were looked at'),
        states: s.z.array(s.z.object({ state: s.workState(), items: s.z.int(), more: s.z.boolean() })),
      })
      .meta({ id: 'WorkCounts' }),
  errors: ['work.invalid'],
  mcp: {
    name: 'count_work',
    description: 'How many work items pass a filter, by their state. "more": there may be more of this state.',
    hints: READS,
    instead: times,
  },
  async run({ tx }, filter) {
    const states = await countRows(tx, filterOf(filter));
    const items = states.reduce((sum, one) => sum + one.items, 0);
    return { items, more: states.some(({ more }) => more), states };
  },
});

function filterOf(filter: Filter): WorkFilter {
  const { state: states, faculty: faculties, submitted_by: submitters, ...others } = filter;
  return { states, faculties, submitters, ...others };
}

/** Errors: `http.invalid`. */
function cursorOf(sort: WorkSort, after: string | undefined): FoundPlace | undefined {
  if (after === undefined) return undefined;
  if (sort === 'newest' || sort === 'oldest') return { id: readIdCursor(after), value: null };
  const [value, last] = readCursor([sort === 'ended' ? 'time' : 'number', 'id'], after)!;
  return { id: last, value };
}

function nextOf(sort: WorkSort, { id: last, value }: FoundPlace): string {
  return sort === 'newest' || sort === 'oldest' ? last : writeCursor([value!, last]);
}
