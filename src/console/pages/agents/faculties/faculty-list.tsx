/** All faculties with who serves them, what is paused and queued, and what their work has cost. */
import { api } from '../../../model/api.ts';
import { hrefTo } from '../../../model/place.ts';
import { seesAll } from '../../../model/session-state.ts';
import { useLoaded } from '../../../model/use-loaded.ts';
import { usd } from '../../../ui/money.ts';
import { Shown } from '../../../ui/shown.tsx';
import { Table } from '../../../ui/table.tsx';
import { VisibleText } from '../../../ui/visible-text.tsx';
import { S } from '../../../words/strings.ts';
import { type Known, knownFaculties, problemsOf } from './known.ts';

const REFRESH_MS = 15_000;
const MOST = 1000;

async function read(signal: AbortSignal) {
  const [{ items }, { rows }, status] = await Promise.all([
    api.operate.listFaculties({ signal }),
    api.operate.spend({ by: 'faculty', limit: MOST }, { signal }),
    seesAll() ? api.operate.status({ signal }) : null,
  ]);
  return { known: knownFaculties({ served: items, spend: rows, status }), problems: problemsOf(status?.daemons ?? []) };
}

export function FacultyList() {
  const loaded = useLoaded(read, [], { everyMs: REFRESH_MS });
  const { columns } = S.agents;
  return (
    <Shown of={loaded}>
      {({ known, problems }) => (
        <>
          {problems.length > 0 && (
            <section class="panel page-part" aria-labelledby="problems">
              <h2 id="problems">{S.agents.problems}</h2>
              <ul class="plain rows">
                {problems.map(({ text, hosts }) => (
                  <li key={text}>
                    <span class="grow">
                      <VisibleText text={text} lines />
                    </span>
                    <span class="faint">{hosts}</span>
                  </li>
                ))}
              </ul>
            </section>
          )}
          {!seesAll() && <p class="faint">{S.agents.problemsForReaders}</p>}
          <Table
            columns={[
              columns.name,
              columns.mode,
              columns.state,
              { number: columns.queued },
              { number: columns.calls },
              { number: columns.cost },
            ]}
            none={S.agents.noFaculties}
            count={known.length}
          >
            {known.map((faculty) => (
              <Row key={faculty.name} of={faculty} />
            ))}
          </Table>
          <p class="faint">{S.agents.lastMonth}</p>
        </>
      )}
    </Shown>
  );
}

function Row({ of: { name, served, queued, spend, pause } }: { readonly of: Known }) {
  return (
    <tr>
      <td class="agents-name">
        <a href={hrefTo('agents', [name])}>
          <VisibleText text={name} kind="text" most={100} />
        </a>
        <div class="faint">
          <VisibleText text={served?.description ?? ''} kind="text" most={300} />
        </div>
      </td>
      <td>{served?.mode ?? ''}</td>
      <td>
        {pause !== null && <span class="state-waiting">{S.now.paused(pause.paused_by, pause.reason)} </span>}
        <ServedBy served={served} />
      </td>
      <td class="number">{queued === 0 ? '' : queued.toLocaleString('en')}</td>
      <td class="number">{spend?.calls.toLocaleString('en') ?? ''}</td>
      <td class="number">{spend === null ? '' : usd(spend.usd)}</td>
    </tr>
  );
}

export function ServedBy({ served }: { readonly served: Known['served'] }) {
  if (served === null) return <span class="state-dead">{S.now.unroutable}</span>;
  return (
    <>
      {S.agents.servedBy(served.daemons, served.hosts)}
      {served.problem !== null && (
        <div class="state-dead">
          <VisibleText text={served.problem} />
        </div>
      )}
    </>
  );
}
