/** The filters of the list of work, as the address has them. */
import type { ListWorkInput, WorkState } from '../../../client/client.ts';

/** One of the list, as it is written in the address. */
export type FilterName = (typeof FILTERS)[number];

/** In the order of the form. */
export const FILTERS = ['q', 'state', 'faculty', 'by', 'since', 'until', 'cost', 'error', 'sort'] as const;

const STATES: ReadonlySet<string> = new Set<WorkState>([
  'scheduled',
  'queued',
  'claimed',
  'running',
  'waiting',
  'completed',
  'dead',
  'merged',
  'cancelled',
]);
const SORTS: ReadonlySet<string> = new Set<NonNullable<ListWorkInput['sort']>>([
  'newest',
  'oldest',
  'ended',
  'cost',
  'duration',
  'priority',
]);
/** `24h`, `7d`: so long before now. */
const SPAN = /^(\d{1,4})([mhd])$/;
const UNIT_MS: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

export type WorkFilter = Omit<ListWorkInput, 'after' | 'limit'>;

/** What cannot be read is left out. Lists are separated by commas. */
export function filterOf(query: URLSearchParams, nowMs: number): WorkFilter {
  const states = listOf(query.get('state')).filter((state): state is WorkState => STATES.has(state));
  const sort = query.get('sort');
  const cost = Number(query.get('cost') ?? Number.NaN);
  return {
    ...(states.length > 0 && { state: states }),
    ...listed('faculty', query.get('faculty')),
    ...listed('submitted_by', query.get('by')),
    ...timed('since', query.get('since'), nowMs),
    ...timed('until', query.get('until'), nowMs),
    ...(cost > 0 && { min_cost_usd: cost }),
    ...given('error', query.get('error')),
    ...given('q', query.get('q')),
    ...(sort !== null && SORTS.has(sort) && { sort: sort as NonNullable<ListWorkInput['sort']> }),
  };
}

export function listOf(text: string | null): readonly string[] {
  return (text ?? '')
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

function listed<Name extends string>(name: Name, text: string | null): Partial<Record<Name, readonly string[]>> {
  const all = listOf(text);
  return all.length === 0 ? {} : ({ [name]: all } as Record<Name, readonly string[]>);
}

function given<Name extends string>(name: Name, text: string | null): Partial<Record<Name, string>> {
  const trimmed = text?.trim() ?? '';
  return trimmed === '' ? {} : ({ [name]: trimmed } as Record<Name, string>);
}

function timed<Name extends string>(name: Name, text: string | null, nowMs: number): Partial<Record<Name, string>> {
  const at = timeOf(text, nowMs);
  return at === null ? {} : ({ [name]: at } as Record<Name, string>);
}

/** A span before now, to the minute, so that the list is not another one each second; or a time. */
export function timeOf(text: string | null, nowMs: number): string | null {
  if (text === null || text === '') return null;
  const [, count, unit] = SPAN.exec(text) ?? [];
  if (count !== undefined && unit !== undefined) {
    const ms = nowMs - Number(count) * UNIT_MS[unit]!;
    return new Date(Math.floor(ms / 60_000) * 60_000).toISOString();
  }
  const time = new Date(text);
  return Number.isNaN(time.getTime()) ? null : time.toISOString();
}

/** What the bulk acts can be asked for: one state, one faculty and a beginning. Null: the filter says more than that. */
export function bulkFilterOf(filter: WorkFilter): BulkFilter | null {
  const { state = [], faculty = [], since, sort: _, ...others } = filter;
  if (state.length > 1 || faculty.length > 1 || Object.keys(others).length > 0) return null;
  const [oneState, oneFaculty] = [state[0], faculty[0]];
  return {
    ...(oneState !== undefined && { state: oneState }),
    ...(oneFaculty !== undefined && { faculty: oneFaculty }),
    ...(since !== undefined && { since }),
  };
}

export interface BulkFilter {
  readonly state?: WorkState;
  readonly faculty?: string;
  readonly since?: string;
}

/** The filters of the address without what belongs to other things on the page, as they are saved. */
export function savedPart(query: URLSearchParams): string {
  const kept = FILTERS.flatMap((name) => (query.get(name) ? [[name, query.get(name)!]] : []));
  return new URLSearchParams(kept).toString();
}
