/** The skills that agents wrote, with what became of work that used them and of other work of the same faculties. */
import type { SkillOutcomes } from '../../../../client/client.ts';
import { api } from '../../../model/api.ts';
import { hrefTo } from '../../../model/place.ts';
import { seesAll } from '../../../model/session-state.ts';
import { useLoaded } from '../../../model/use-loaded.ts';
import { usd } from '../../../ui/money.ts';
import { Shown } from '../../../ui/shown.tsx';
import { Table } from '../../../ui/table.tsx';
import { Time } from '../../../ui/time.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { S } from '../../../words/strings.ts';

async function read(signal: AbortSignal) {
  const [{ items }, stats, stale] = await Promise.all([
    api.skills.list({ signal }),
    seesAll() ? api.skills.stats({}, { signal }) : null,
    seesAll() ? api.skills.stale({}, { signal }) : null,
  ]);
  return { items, stats: stats?.items ?? [], stale: stale?.items ?? [] };
}

export function SkillList() {
  const loaded = useLoaded(read, []);
  const { columns } = S.agents.skills;
  return (
    <Shown of={loaded}>
      {({ items, stats, stale }) => (
        <>
          <p class="faint">{S.agents.skills.proposals}</p>
          <Table
            columns={[columns.skill, { number: columns.version }, columns.faculty, columns.since]}
            none={S.agents.skills.none}
            count={items.length}
          >
            {items.map(({ name, version, description, faculty, decided_at, created_at }) => (
              <tr key={name}>
                <td class="agents-name">
                  <SkillLink name={name} />
                  <div class="faint">
                    <VisibleText text={description} kind="text" most={300} />
                  </div>
                </td>
                <td class="number">{version}</td>
                <td>{faculty ?? ''}</td>
                <td>
                  <Time at={decided_at ?? created_at} />
                </td>
              </tr>
            ))}
          </Table>
          {seesAll() ? <Outcomes stats={stats} /> : <p class="faint">{S.agents.skills.statsForReaders}</p>}
          {stale.length > 0 && (
            <section class="page-part" aria-labelledby="stale">
              <h2 id="stale">{S.agents.skills.stale}</h2>
              <ul class="plain rows">
                {stale.map(({ name, origin, last_used_at }) => (
                  <li key={name}>
                    <span class="grow">
                      {origin === 'agent' ? <SkillLink name={name} /> : <VisibleText text={name} kind="text" />}
                    </span>
                    <Time at={last_used_at} none={S.common.never} />
                  </li>
                ))}
              </ul>
            </section>
          )}
        </>
      )}
    </Shown>
  );
}

function SkillLink({ name }: { readonly name: string }) {
  return (
    <a href={hrefTo('agents', [], { tab: 'skills', skill: name })}>
      <VisibleText text={name} kind="text" most={100} />
    </a>
  );
}

type Stats = Awaited<ReturnType<typeof read>>['stats'];

function Outcomes({ stats }: { readonly stats: Stats }) {
  const { columns } = S.agents.skills;
  return (
    <section class="page-part" aria-labelledby="outcomes">
      <h2 id="outcomes">{S.agents.skills.outcomes}</h2>
      <Table
        columns={[columns.skill, { number: columns.used }, columns.last, columns.withIt, columns.without]}
        none={S.agents.skills.noStats}
        count={stats.length}
      >
        {stats.map(({ skill, activations, last_used_at, with_it, without }) => (
          <tr key={skill}>
            <td>
              <SkillLink name={skill} />
            </td>
            <td class="number">{activations.toLocaleString('en')}</td>
            <td>
              <Time at={last_used_at} none={S.common.never} />
            </td>
            <td>{outcomeText(with_it)}</td>
            <td>{outcomeText(without)}</td>
          </tr>
        ))}
      </Table>
      <p class="faint">{S.agents.skills.outcomesHint}</p>
    </section>
  );
}

function outcomeText({ items, completed, cost_usd, turns }: SkillOutcomes): string {
  if (items === 0) return S.agents.skills.noItems;
  return S.agents.skills.outcome(
    completed / items,
    items,
    usd(cost_usd === null ? null : cost_usd / items),
    turns / items,
  );
}
