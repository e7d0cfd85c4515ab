/** Reads the foci of work for the CLI; as in work-views.ts, rows keep the names of their columns. */
import { worktreeBranch } from '../../core/work/worktree-branch.ts';
import type { Queryable } from '../sql/database.ts';
import { readItemWorktree } from './item-worktree.ts';

/** One activation on an item. */
export interface FocusView {
  readonly id: string;
  readonly number: number;
  readonly host: string;
  readonly directory: string | null;
  /** The branch of its git worktree, if it works in one. */
  readonly branch: string | null;
  readonly phase: string;
  readonly resumes: number;
  readonly ended_as: string | null;
  readonly error: unknown;
  readonly started_at: Date;
  readonly ended_at: Date | null;
  readonly turns: readonly TurnView[];
  /** Only where they were asked for. */
  readonly messages?: readonly MessageView[];
}

/** What the engine wrote into the context. `keeps_from`: of a stub or summary, the first turn that it did not replace. */
export interface MessageView {
  readonly seq: number;
  readonly after_turn: number;
  readonly kind: string;
  readonly content: string;
  readonly tokens: number;
  readonly keeps_from: number | null;
  readonly created_at: Date;
}

/** One answer of a model; `stop_reason` is null while it is being asked. */
export interface TurnView {
  readonly turn: number;
  readonly provider: string | null;
  readonly model: string | null;
  readonly stop_reason: string | null;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
  readonly cache_read_tokens: number | null;
  /** USD; null: not known. */
  readonly cost_usd: number | null;
  /** The provider did not count the tokens: they and the cost are estimates. */
  readonly estimated: boolean;
  /** What requests for it that returned nothing may have cost; USD, beside `cost_usd`. */
  readonly lost_usd: number;
  readonly lost_requests: number;
  readonly duration_ms: number | null;
  readonly begun_at: Date;
  readonly recorded_at: Date | null;
  /** What the model said beside its calls; null when it said nothing. */
  readonly text: string | null;
  /** What it had said when the work was cancelled, of an answer that is not recorded. */
  readonly cut_off: string | null;
  readonly tool_calls: readonly ToolCallView[];
}

/** A tool call; `input` and `output` are cut after 2,000 characters unless all of it was asked for. */
export interface ToolCallView {
  readonly call_id: string;
  readonly name: string;
  readonly state: string;
  readonly input: string;
  readonly output: string | null;
  readonly output_bytes: number | null;
  /** What it runs with in place of `input`, which is what the model wrote; null: unchanged. Cut like `input`. */
  readonly final_input: string | null;
  readonly is_error: boolean | null;
  readonly duration_ms: number | null;
  /** The calls that its code made, in order; left out where there are none. */
  readonly calls?: readonly ToolCallView[];
}

type TurnRow = Omit<TurnView, 'tool_calls'> & { readonly focus_id: string };
/** Of an input or an output; the longest output in a row of a call is shorter than the second. */
const SHORT_CHARS = 2000;
const MAX_CHARS = 10_000_000;

type CallRow = ToolCallView & {
  readonly focus_id: string;
  readonly turn: number;
  readonly parent_call_id: string | null;
};

/** The foci of an item with their turns and calls, oldest first; with `full`, whole texts of calls and the engine's messages. */
export async function readFoci(db: Queryable, id: string, full = false): Promise<FocusView[]> {
  const foci = await db.query<Omit<FocusView, 'turns' | 'branch'> & { isolation: string | null }>(
    `select f.id, number, host, directory, phase, resumes, ended_as, error, started_at, ended_at,
            coalesce(f.faculty_snapshot, s.faculty_snapshot) ->> 'isolation' as isolation
       from animus.foci f left join animus.focus_settings s on s.id = f.settings_id where work_item_id = $1::uuid order by number`,
    [id],
  );
  const turns = await db.query<TurnRow>(
    `select t.focus_id, t.turn, t.provider, t.model, t.stop_reason, (t.usage ->> 'input')::float8 as input_tokens,
            (t.usage ->> 'output')::float8 as output_tokens,
            coalesce(t.usage ->> 'cacheRead', t.usage ->> 'cache_read')::float8 as cache_read_tokens,
            t.cost_usd::float8 as cost_usd, coalesce((t.usage ->> 'estimated')::boolean, t.usage is null and t.cost_usd > 0, false) as estimated,
            t.lost_usd::float8 as lost_usd, t.lost_requests, round(t.duration_ms::numeric, 3)::float8 as duration_ms, t.begun_at, t.recorded_at,
            (select left(string_agg(b ->> 'text', E'\\n' order by n), 1000000) from json_array_elements(t.response) with ordinality as e (b, n)
              where b ->> 'type' = 'text') as text, cut.text as cut_off
       from animus.all_turns t
       left join lateral (select f.cut_off_text as text from animus.foci f
                           where f.id = t.focus_id and f.cut_off_turn = t.turn and t.recorded_at is null) cut on true
      where t.work_item_id = $1::uuid order by t.focus_id, t.turn`,
    [id],
  );
  const calls = await db.query<CallRow>(
    `select c.focus_id, c.turn, c.call_id, c.name, c.state, left(c.input::text, $2::int) as input, left(c.output, $2::int) as output,
            c.output_bytes, left(c.final_input::text, $2::int) as final_input, c.is_error, round(c.duration_ms::numeric, 3)::float8 as duration_ms,
            c.parent_call_id
       from animus.all_tool_calls c where c.work_item_id = $1::uuid order by c.focus_id, c.turn, c.position`,
    [id, full ? MAX_CHARS : SHORT_CHARS],
  );
  const messages = full ? await readMessages(db, id) : null;
  const isInWorktree = foci.some(({ isolation }) => isolation === 'worktree');
  const branch = isInWorktree ? ((await readItemWorktree(db, id)).branch ?? worktreeBranch(id)) : null;
  return foci.map(({ isolation, ...focus }) => ({
    ...focus,
    branch: isolation === 'worktree' ? branch : null,
    turns: turnsOf(focus.id, turns, calls),
    ...(messages && {
      messages: messages.filter((row) => row.focus_id === focus.id).map(({ focus_id: _, ...message }) => message),
    }),
  }));
}

function readMessages(db: Queryable, id: string): Promise<(MessageView & { readonly focus_id: string })[]> {
  return db.query(
    `select m.focus_id, m.seq, m.after_turn, m.kind, m.content, m.tokens, m.keeps_from, m.created_at
       from animus.all_messages m where m.work_item_id = $1::uuid order by m.focus_id, m.seq`,
    [id],
  );
}

function turnsOf(focusId: string, turns: readonly TurnRow[], calls: readonly CallRow[]): TurnView[] {
  return turns
    .filter((turn) => turn.focus_id === focusId)
    .map(({ focus_id: _, ...turn }) => {
      const own = calls.filter((call) => call.focus_id === focusId && call.turn === turn.turn);
      return { ...turn, tool_calls: callsBelow(null, own) };
    });
}

/** The calls of the model (below null), or those that the code of a call made. */
function callsBelow(parent: string | null, rows: readonly CallRow[]): ToolCallView[] {
  const own = rows.filter((row) => row.parent_call_id === parent);
  return own.map(({ focus_id: _focus, turn: _turn, parent_call_id: _parent, ...call }) => {
    const calls = parent === null ? callsBelow(call.call_id, rows) : [];
    return { ...call, ...(calls.length > 0 && { calls }) };
  });
}
