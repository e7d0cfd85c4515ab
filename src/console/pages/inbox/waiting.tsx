/** The list of what waits beside the request that is chosen, with keys for both. */
import { useEffect, useRef, useState } from 'preact/hooks';
import { api } from '../../model/api.ts';
import { useLiveStates } from '../../model/live.ts';
import { changeQuery, hrefTo, place } from '../../model/place.ts';
import { may, whoseMe } from '../../model/session-state.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { AskCard } from '../../ui/ask/ask-card.tsx';
import type { Decided } from '../../ui/ask/decide.ts';
import type { FormHandle } from '../../ui/ask/decide-form.tsx';
import { MOST_ASKS } from '../../ui/ask/one-ask.ts';
import { tell, tellProblem } from '../../ui/notices.tsx';
import { Shown } from '../../ui/shown.tsx';
import { S } from '../../words/strings.ts';
import { arrange, type Cause, held, nextAfter, rowsOf, stepFrom } from './arrange.ts';
import { AskList } from './ask-list.tsx';
import { Bulk } from './bulk.tsx';
import { useInboxKeys } from './inbox-keys.tsx';

const REFRESH_MS = 10_000;
const MOST_GROUPS = 500;

export function Waiting() {
  useLiveStates();
  const loaded = useLoaded(read, [], { everyMs: REFRESH_MS, live: true });
  return <Shown of={loaded}>{(now) => <List now={now} reload={loaded.reload} />}</Shown>;
}

async function read(signal: AbortSignal): Promise<readonly Cause[]> {
  const [groups, asks] = await Promise.all([
    api.approvals.listGroups({ limit: MOST_GROUPS }, { signal }),
    api.approvals.list({ limit: MOST_ASKS }, { signal }),
  ]);
  return arrange(groups.items, asks.items);
}

interface ListProps {
  readonly now: readonly Cause[];
  readonly reload: () => void;
}

function List({ now, reload }: ListProps) {
  const shown = useRef(now);
  const isHeld = useRef(false);
  const card = useRef<FormHandle>(null);
  const decided = useRef(new Set<string>());
  const hasDecided = useRef(false);
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [, redraw] = useState(0);
  const left = now.map((cause) => ({
    ...cause,
    rows: cause.rows.filter(({ ask }) => !decided.current.has(ask.ask_id)),
  }));
  const causes = isHeld.current ? held(shown.current, left) : left.filter(({ rows }) => rows.length > 0);
  shown.current = causes;
  const rows = rowsOf(causes);
  // Without a request in the address, the one that was shown first stays until it is decided here: no other moves under the pointer.
  const pinned = useRef<string | null>(null);
  const named = place.value.query.get('ask') ?? pinned.current;
  const row = rows.find(({ ask }) => ask.ask_id === named) ?? (named === null ? rows[0] : undefined);
  const at = row?.ask.ask_id ?? null;
  const hold = (is: boolean) => {
    isHeld.current = is;
    if (!is) redraw((before) => before + 1);
  };
  const onDecided = (id: string, { is, text }: Decided) => {
    if (is === 'failed') return;
    if (is === 'done') tell(text);
    else tellProblem(S.inbox.gone(text));
    const next = nextAfter(causes, id);
    pinned.current = next;
    decided.current.add(id);
    if (at === id) show(next);
    hasDecided.current = true;
    reload();
  };
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  useInboxKeys({
    step: (by) => show(stepFrom(causes, at, by)),
    approve: () => card.current?.approve(),
    deny: () => card.current?.startDeny(),
    edit: () => card.current?.startEdit(),
    choose: () => at !== null && toggle(at),
  });
  useEffect(() => {
    if (at !== null) pinned.current = at;
    document.querySelector('[data-current]')?.scrollIntoView({ block: 'nearest' });
    const heading = document.querySelector<HTMLElement>('.ask h2');
    if (hasDecided.current) (heading ?? document.querySelector('h1'))?.focus();
    else if ((heading?.getBoundingClientRect().top ?? 0) < 0) heading?.scrollIntoView();
    hasDecided.current = false;
  }, [at]);
  if (rows.length === 0) return <p class="faint">{S.now.nothingNeedsYou}</p>;
  return (
    <div class="inbox-columns">
      <div class="inbox-list" onPointerEnter={() => hold(true)} onPointerLeave={() => hold(false)}>
        <Bulk
          causes={causes}
          chosen={chosen}
          onDone={() => {
            setChosen(new Set());
            reload();
          }}
        />
        <AskList causes={causes} current={at} chosen={chosen} setChosen={setChosen} toggle={toggle} />
      </div>
      <div class="inbox-card">
        <a class="inbox-back" href={hrefTo('inbox')}>
          {S.inbox.back}
        </a>
        {row === undefined && named !== null && (
          <p class="faint">{rowsOf(now).length < MOST_ASKS ? S.inbox.notWaiting : S.inbox.unlisted(MOST_ASKS)}</p>
        )}
        {row?.isGone && <p class="ask-warning">{S.inbox.decidedElsewhere}</p>}
        {row !== undefined && (
          <AskCard
            key={row.ask.ask_id}
            ask={row.ask}
            client={api}
            mayNot={row.isGone ? S.inbox.decidedElsewhere : reasonNot()}
            workHref={(id) => hrefTo('work', [id])}
            onDecided={(result) => onDecided(row.ask.ask_id, result)}
            handle={card}
          />
        )}
      </div>
    </div>
  );
}

function show(ask: string | null): void {
  changeQuery({ ask }, { replace: true });
}

function reasonNot(): string | null {
  if (may('decide')) return null;
  return S.inbox.mayNot(whoseMe()?.role ?? '');
}
