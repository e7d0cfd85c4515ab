import type { Waiting } from '../../core/work/waiting.ts';
import type { WorkState } from '../../core/work/work.ts';
import type { Queryable } from '../sql/database.ts';
import type { BudgetLeft } from '../work/budgets.ts';
import type { KeptRow } from '../work/retention.ts';

/** What `animus.status()` answers; times are ISO 8601 texts. Counts stop at `count_cap` per state. */
export interface Status {
  readonly at: string;
  readonly count_cap: number;
  /** States whose count is a lower bound. */
  readonly capped: readonly WorkState[];
  /** Ended work counts for 24 hours; dead work for as long as it is there. */
  readonly states: Readonly<Partial<Record<WorkState, number>>>;
  readonly queue: readonly QueueStatus[];
  /** Why work waits, by faculty, state and reason, longest first: of the first in the queues, and of the oldest that are scheduled or wait. */
  readonly waiting: readonly WaitingStatus[];
  readonly foci: readonly FocusStatus[];
  readonly daemons: readonly DaemonStatus[];
  /** The last ten that died, whenever that was. */
  readonly dead_letters: readonly DeadLetter[];
  /** Old rows that retention cannot remove because another table refers to them: their number (up to `count_cap`), and some examples. */
  readonly kept: { readonly rows: number; readonly examples: readonly KeptRow[] };
  readonly pauses: readonly { readonly faculty: string; readonly reason: string; readonly until: string | null }[];
  readonly spend_today: readonly SpendStatus[];
  /** Directories of worktrees that are there, by host. */
  readonly worktrees: readonly WorktreesStatus[];
  readonly inbox: InboxStatus;
  readonly schedules: readonly ScheduleStatus[];
  readonly asks: AsksStatus;
  /** Limits of which 80 % or more are used, at most 20. */
  readonly budgets: readonly BudgetStatus[];
}

/** A limit; `subject`: the id of the item or root, the name of the faculty, or ''. `ends`: of its day or month. */
export type BudgetStatus = Pick<
  BudgetLeft,
  'scope' | 'subject' | 'unit' | 'period' | 'ends' | 'amount' | 'spent' | 'held' | 'used'
>;

/** What waits for people: how many requests, and the ten oldest. All that waits for one limit is one. */
interface AsksStatus {
  readonly waiting: number;
  readonly first: readonly AskStatus[];
}

interface AskStatus {
  readonly work_item_id: string;
  readonly faculty: string;
  readonly ask_id: string;
  readonly call_id: string | null;
  readonly kind: 'approval' | 'human';
  readonly subject: string;
  /** Of a tool call. */
  readonly tool: string | null;
  /** The beginning of the input, the question or the request: 300 characters. */
  readonly shown: string;
  readonly asked_at: string;
  readonly deadline: string | null;
  /** How many work items wait for the same limit; 1 for anything else. */
  readonly items: number;
}

/** `open`: work goes on in them. `held`: of the kept ones, those with something that is on no branch. */
export interface WorktreesStatus {
  readonly host: string;
  readonly kept: number;
  readonly open: number;
  readonly held: number;
  /** As far as they were counted. */
  readonly bytes: number;
  /** That somebody has discarded, and the daemon of the host has not removed yet. */
  readonly discarding: number;
}

/** The pgmq queue `inbox`; `dead` messages could not be read. Counts stop at 10,000. */
export interface InboxStatus {
  readonly waiting: number;
  readonly oldest_at: string | null;
  readonly dead: number;
  readonly last_dead_reason: string | null;
}

/** At most 200, by name. */
export interface ScheduleStatus {
  readonly name: string;
  readonly faculty: string;
  readonly cron: string;
  readonly time_zone: string;
  readonly paused: boolean;
  readonly problem: string | null;
  readonly next_at: string | null;
  readonly last_at: string | null;
  readonly missed_24h: number;
  readonly overlap: 'allow' | 'skip' | 'queue';
  /** Runs that were skipped since its last item began, counted up to 1,000. */
  readonly skipped: number;
  /** Its newest item that has not ended; null: none, or runs may overlap. */
  readonly open_item: string | null;
}

/** Queued work of one faculty; `routable`: a live daemon serves it. */
interface QueueStatus {
  readonly faculty: string;
  readonly queued: number;
  /** `queued` is a lower bound. */
  readonly capped: boolean;
  readonly oldest_at: string | null;
  readonly routable: boolean;
}

/** Items that wait for the same reason; `work_item_id`, `why` and `ends`: of the one that has waited longest. */
export interface WaitingStatus extends Pick<Waiting<string>, 'reason' | 'why' | 'ends' | 'since' | 'until'> {
  readonly faculty: string;
  readonly state: WorkState;
  readonly items: number;
  readonly work_item_id: string;
}

/** Claimed or running work; focus fields are null until it has begun. */
interface FocusStatus {
  readonly work_item_id: string;
  readonly focus_id: string | null;
  readonly faculty: string;
  readonly description: string;
  readonly phase: string | null;
  readonly state: 'claimed' | 'running';
  readonly turn: number | null;
  readonly started_at: string | null;
  readonly host: string | null;
  readonly plan: string | null;
  /** USD; null: the cost of no call is known. */
  readonly cost_usd: number | null;
  /** Calls whose cost is not known; `cost_usd` is without them. */
  readonly unpriced_calls: number;
}

/** Work without attempts left, or given up. */
interface DeadLetter {
  readonly work_item_id: string;
  readonly faculty: string;
  readonly description: string;
  readonly attempts: number;
  readonly resolved_at: string;
  readonly reason: string;
}

/** A daemon that has not stopped, or stopped within the last hour; `alive`: seen within the last two minutes. */
export interface DaemonStatus {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly version: string;
  readonly max_concurrent: number;
  readonly saturated: boolean;
  readonly faculties: readonly string[];
  readonly problems: readonly unknown[];
  readonly started_at: string;
  readonly seen_at: string;
  readonly stopped_at: string | null;
  readonly alive: boolean;
  /** When the last lease ends of the work that it has; null: it has none. Undefined: the functions of an earlier version answered. */
  readonly lease_until?: string | null;
  /** When its event loop last stood still, for how long, and how often it has; null: never. Undefined: as above. */
  readonly blocked_at?: string | null;
  readonly blocked_seconds?: number | null;
  readonly blocks?: number;
}

interface SpendStatus {
  readonly faculty: string;
  readonly model: string;
  /** Null: the cost of no call is known. */
  readonly usd: number | null;
  /** Calls and lost requests whose cost is not known; `usd` is without them. */
  readonly unpriced_calls: number;
  /** Of `usd`: answers whose tokens the provider did not count, and requests that gave nothing. These and the next two: undefined as `code_runs`. */
  readonly estimated_usd?: number;
  readonly lost_usd?: number;
  readonly lost_requests?: number;
  /** Calls whose tokens nobody counted. */
  readonly uncounted_calls?: number;
  /** Null: those of no call were counted. */
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly calls: number;
  /** Of code without a model. Undefined: the functions of an earlier version answered. */
  readonly code_runs?: number;
}

/** Reads it in one cheap call. `readers`: the SQL functions of the parts that are wanted, too, each of which adds its keys. */
export async function readStatus<Part = unknown>(
  db: Queryable,
  readers: readonly string[] = [],
): Promise<Status & Part> {
  const parts = readers.map((reader) => `animus.${reader}() || `).join('');
  const [row] = await db.query<{ status: Status & Part }>(
    `select ${parts}animus.status() || animus.ways_in_status() || animus.asks_status() || animus.budget_status() || animus.worktree_status() || animus.waiting_status() as status`,
  );
  return row!.status;
}

/** The directories of worktrees alone, by host. Null: the schema does not know them yet. */
export async function readWorktreesStatus(db: Queryable): Promise<readonly WorktreesStatus[] | null> {
  const [known] = await db.query<{ there: boolean }>(
    `select to_regprocedure('animus.worktree_status()') is not null as there`,
  );
  if (!known!.there) return null;
  const [row] = await db.query<{ status: Pick<Status, 'worktrees'> }>('select animus.worktree_status() as status');
  return row!.status.worktrees;
}
