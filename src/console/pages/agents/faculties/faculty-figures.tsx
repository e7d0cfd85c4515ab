/** How the newest work of a faculty ended, how long it took and what it cost, and what died last. */
import type { WorkSummary } from '../../../../client/client.ts';
import { api } from '../../../model/api.ts';
import { hrefTo } from '../../../model/place.ts';
import { useLoaded } from '../../../model/use-loaded.ts';
import { duration } from '../../../ui/duration.ts';
import { usd } from '../../../ui/money.ts';
import { Shown } from '../../../ui/shown.tsx';
import { Time } from '../../../ui/time.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { S } from '../../../words/strings.ts';
import { figuresOf } from './figures.ts';

/** The newest that ended. */
const SAMPLE = 200;
const FAILURES = 10;

async function read(name: string, signal: AbortSignal) {
  const about = { faculty: [name], sort: 'ended' } as const;
  const [ended, dead] = await Promise.all([
    api.work.list({ ...about, state: ['completed', 'dead'], limit: SAMPLE }, { signal }).page(),
    api.work.list({ ...about, state: ['dead'], limit: FAILURES }, { signal }).page(),
  ]);
  return { figures: figuresOf(ended.items), dead: dead.items };
}

export function FacultyFigures({ name }: { readonly name: string }) {
  const loaded = useLoaded((signal) => read(name, signal), [name]);
  return (
    <Shown of={loaded}>
      {({ figures, dead }) => (
        <div class="panels page-part">
          <section class="panel" aria-labelledby="figures">
            <h2 id="figures">{S.agents.figures.title}</h2>
            {figures.ended === 0 ? (
              <p class="faint">{S.agents.figures.none}</p>
            ) : (
              <>
                <dl class="agents-facts">
                  <dt>{S.agents.figures.success}</dt>
                  <dd>{S.agents.figures.rate(figures.completed, figures.ended)}</dd>
                  <dt>{S.agents.figures.time}</dt>
                  <dd>{pair(figures.time, duration)}</dd>
                  <dt>{S.agents.figures.cost}</dt>
                  <dd>{pair(figures.cost, usd)}</dd>
                </dl>
                <p class="faint">{S.agents.figures.of(figures.ended)}</p>
              </>
            )}
            <a href={hrefTo('work', [], { faculty: name })}>{S.agents.allWork}</a>
          </section>
          <Failures dead={dead} />
        </div>
      )}
    </Shown>
  );
}

function pair({ p50, p95 }: { readonly p50: number | null; readonly p95: number | null }, text: (n: number) => string) {
  return p50 === null || p95 === null ? S.agents.figures.unknown : S.agents.figures.pair(text(p50), text(p95));
}

function Failures({ dead }: { readonly dead: readonly WorkSummary[] }) {
  return (
    <section class="panel" aria-labelledby="failures">
      <h2 id="failures">{S.agents.failures}</h2>
      {dead.length === 0 && <p class="faint">{S.agents.noFailures}</p>}
      <ul class="plain rows">
        {dead.map((item) => (
          <li key={item.id}>
            <a class="grow clip" href={hrefTo('work', [item.id])}>
              <VisibleText text={item.description === '' ? item.id : item.description} kind="text" most={200} />
            </a>
            <Time at={item.resolved_at} />
          </li>
        ))}
      </ul>
    </section>
  );
}
