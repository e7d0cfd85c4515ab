/** The requests in lines, with a head for each cause that has several. */
import { hrefTo } from '../../model/place.ts';
import { may } from '../../model/session-state.ts';
import { callOf, lineOf, titleOf } from '../../ui/ask/request.ts';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';
import type { Cause, Row } from './arrange.ts';

interface AskListProps {
  readonly causes: readonly Cause[];
  readonly current: string | null;
  readonly chosen: ReadonlySet<string>;
  readonly setChosen: (chosen: ReadonlySet<string>) => void;
  readonly toggle: (id: string) => void;
}

export function AskList(props: AskListProps) {
  return (
    <>
      {props.causes.map((cause) => (
        <section key={cause.id} class="inbox-cause">
          {cause.rows.length > 1 && <CauseHead {...props} cause={cause} />}
          <ul class="plain">
            {cause.rows.map((row) => (
              <Line key={row.ask.ask_id} {...props} row={row} />
            ))}
          </ul>
        </section>
      ))}
    </>
  );
}

function CauseHead({ cause: { group, rows }, chosen, setChosen }: AskListProps & { readonly cause: Cause }) {
  const ids = rows.flatMap(({ ask, isGone }) => (isGone ? [] : [ask.ask_id]));
  const all = ids.every((id) => chosen.has(id));
  const toggleAll = () => {
    const next = new Set(chosen);
    for (const id of ids) {
      if (all) next.delete(id);
      else next.add(id);
    }
    setChosen(next);
  };
  const name = group?.tool ?? group?.subject ?? '';
  return (
    <div class="inbox-cause-head">
      {may('decide') && (
        <input type="checkbox" checked={all} aria-label={S.inbox.chooseAll(name)} onChange={toggleAll} />
      )}
      <h2>
        <VisibleText text={name} most={80} /> · {group?.faculty}{' '}
        <span class="faint">{S.now.waits(group?.count ?? rows.length)}</span>
      </h2>
      {group?.reason && (
        <p class="faint clip">
          <VisibleText text={group.reason} most={200} />
        </p>
      )}
    </div>
  );
}

function Line({ row: { ask, isGone }, current, chosen, toggle }: AskListProps & { readonly row: Row }) {
  const isCurrent = ask.ask_id === current;
  return (
    <li class={`inbox-line${isCurrent ? ' inbox-line-current' : ''}${isGone ? ' inbox-line-gone' : ''}`}>
      {may('decide') && (
        <input
          type="checkbox"
          checked={chosen.has(ask.ask_id)}
          disabled={isGone}
          aria-label={S.inbox.choose}
          onChange={() => toggle(ask.ask_id)}
        />
      )}
      <a
        href={hrefTo('inbox', [], { ask: ask.ask_id })}
        aria-current={isCurrent ? 'true' : undefined}
        data-current={isCurrent ? '' : undefined}
      >
        <span class="inbox-line-head">
          <span class="clip">
            <strong>{ask.faculty}</strong> <VisibleText text={callOf(ask)?.tool ?? titleOf(ask)} most={120} />
          </span>
          <Time at={ask.asked_at} />
        </span>
        <span class="clip inbox-line-text">
          {isGone ? S.inbox.decidedElsewhere : <VisibleText text={lineOf(ask).slice(0, LINE_CHARS)} />}
        </span>
      </a>
    </li>
  );
}

const LINE_CHARS = 160;
