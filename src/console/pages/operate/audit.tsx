/** The newest decisions and refused calls, and whether their chains are intact. */
import { useState } from 'preact/hooks';
import type { AuditLine, ChainsVerdict } from '../../../client/client.ts';
import { api, sentenceOf } from '../../model/api.ts';
import { hrefTo, place } from '../../model/place.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { DaysFilter } from '../../ui/days-filter.tsx';
import { Problem } from '../../ui/problem.tsx';
import { Shown } from '../../ui/shown.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';
import { newestLines } from './newest-lines.ts';

const DAY_MS = 86_400_000;
const RANGES = [1, 7, 30, 365] as const;
const MOST = 300;

export function Audit() {
  const asked = Number(place.value.query.get('days'));
  const days = RANGES.find((range) => range === asked) ?? 7;
  const loaded = useLoaded(
    async (signal) => {
      const since = new Date(Date.now() - days * DAY_MS).toISOString();
      const response = await api.audit.export({ since }, { signal });
      return newestLines(await response.text(), MOST);
    },
    [days],
  );
  const { columns } = S.operate.audit;
  return (
    <>
      <Verify />
      <DaysFilter days={days} ranges={RANGES} />
      <Shown of={loaded}>
        {({ lines, more }) => (
          <>
            <Table
              columns={[columns.when, columns.who, columns.what, columns.about, columns.work, columns.note]}
              none={S.operate.audit.none}
              count={lines.length}
            >
              {lines.map((line, index) => (
                <Line key={index} line={line} />
              ))}
            </Table>
            {more && <p class="faint">{S.inbox.olderLeftOut(lines.length)}</p>}
          </>
        )}
      </Shown>
    </>
  );
}

function Line({ line }: { readonly line: AuditLine }) {
  const target = 'target' in line ? line.target : null;
  const tool = 'tool' in line ? line.tool : null;
  const by = 'refused_by' in line ? (line.decided_by ?? line.refused_by) : line.decided_by;
  const note = 'note' in line ? line.note : (line.rule ?? '');
  return (
    <tr>
      <td>
        <Time at={line.created_at} />
      </td>
      <td>
        <VisibleText text={by} kind="text" most={100} />
      </td>
      <td>{line.action}</td>
      <td>
        <VisibleText text={tool ?? target ?? ''} kind={tool === null ? 'text' : 'code'} most={200} />
      </td>
      <td>
        {line.work_item_id !== null && (
          <a href={hrefTo('work', [line.work_item_id])} class="mono">
            …{line.work_item_id.slice(-12)}
          </a>
        )}
      </td>
      <td class="operate-wide">
        <VisibleText text={note} kind="text" most={300} />
      </td>
    </tr>
  );
}

function Verify() {
  const [verdict, setVerdict] = useState<ChainsVerdict | null>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const check = async () => {
    setBusy(true);
    setProblem(null);
    try {
      setVerdict(await api.audit.check());
    } catch (error) {
      setProblem(sentenceOf(error));
    }
    setBusy(false);
  };
  return (
    <section class="panel page-part" aria-labelledby="verify">
      <div class="section-head">
        <h2 id="verify">{S.operate.audit.chains}</h2>
        <button type="button" disabled={busy} aria-busy={busy} onClick={() => void check()}>
          {S.operate.audit.check}
        </button>
      </div>
      {problem !== null && <Problem text={problem} />}
      <div role="status">
        {verdict === null ? (
          <p class="faint">{S.operate.audit.hint}</p>
        ) : (
          <p class={verdict.intact ? 'state-completed' : 'state-dead'}>
            {verdict.intact
              ? S.operate.audit.intact(verdict.decisions, verdict.chains, verdict.erased)
              : S.operate.audit.broken(verdict.faults.length)}
          </p>
        )}
      </div>
      <ul class="plain rows">
        {verdict?.faults.map(({ fault, id, detail }) => (
          <li key={`${id} ${fault}`}>
            <b>{S.operate.audit.faults[fault]}</b>
            <span class="grow">
              <VisibleText text={detail} kind="text" most={500} />
            </span>
            <code>{id}</code>
          </li>
        ))}
      </ul>
    </section>
  );
}
