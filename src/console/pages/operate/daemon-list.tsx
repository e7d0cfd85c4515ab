/** The daemons with their versions and problems, and what the database keeps. */
import type { Status } from '../../../client/client.ts';
import { api } from '../../model/api.ts';
import { useLoaded } from '../../model/use-loaded.ts';
import { bytes } from '../../ui/numbers.ts';
import { Shown } from '../../ui/shown.tsx';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { VisibleText } from '../../ui/visible-text.tsx';
import { S } from '../../words/strings.ts';

const REFRESH_MS = 10_000;

export function DaemonList() {
  const read = useLoaded((signal) => api.operate.status({ signal }), [], { everyMs: REFRESH_MS });
  const { columns } = S.operate.daemons;
  return (
    <Shown of={read}>
      {(status) => (
        <>
          <Table
            columns={[
              columns.host,
              columns.version,
              columns.faculties,
              { number: columns.slots },
              columns.started,
              columns.seen,
              columns.state,
            ]}
            none={S.now.noDaemons}
            count={status.daemons.length}
          >
            {status.daemons.map((daemon) => (
              <Row key={daemon.id} daemon={daemon} taken={takenOf(status, daemon.id)} />
            ))}
          </Table>
          <Kept kept={status.kept} worktrees={status.worktrees} />
        </>
      )}
    </Shown>
  );
}

function takenOf({ foci }: Status, id: string): number {
  return foci.filter(({ daemon_id }) => daemon_id === id).length;
}

interface RowProps {
  readonly daemon: Status['daemons'][number];
  readonly taken: number;
}

function Row({ daemon, taken }: RowProps) {
  const { host, pid, version, faculties, max_concurrent, started_at, seen_at, alive, problems } = daemon;
  return (
    <tr>
      <td>
        <VisibleText text={host} kind="text" /> <span class="faint">{S.operate.daemons.process(pid)}</span>
      </td>
      <td>{version}</td>
      <td class="operate-wide">
        <VisibleText text={faculties.join(', ')} kind="text" most={300} />
      </td>
      <td class="number">{S.operate.daemons.taken(taken, max_concurrent)}</td>
      <td>
        <Time at={started_at} />
      </td>
      <td>
        <Time at={seen_at} />
      </td>
      <td>
        {alive ? (
          <span class="state-completed">{S.operate.daemons.runs}</span>
        ) : (
          <span class="state-dead">{S.now.gone}</span>
        )}
        {problems.length > 0 && <div class="state-dead">{S.operate.daemons.problems(problems.length)}</div>}
        {daemon.saturated && <div class="state-waiting">{S.operate.daemons.saturated}</div>}
        {typeof daemon.blocks === 'number' && daemon.blocks > 0 && (
          <div class="state-waiting">{S.operate.daemons.blocked(daemon.blocks)}</div>
        )}
      </td>
    </tr>
  );
}

function Kept({ kept, worktrees }: Pick<Status, 'kept' | 'worktrees'>) {
  const { columns } = S.operate.daemons;
  return (
    <section class="page-part" aria-labelledby="kept">
      <h2 id="kept">{S.operate.daemons.kept}</h2>
      <p class={kept.rows === 0 ? 'faint' : 'state-waiting'}>{S.operate.daemons.keptRows(kept.rows)}</p>
      <ul class="plain rows">
        {kept.examples.map(({ table, id, referenced_by }) => (
          <li key={`${table} ${id}`}>
            <code>{table}</code>
            <code class="grow">{id}</code>
            <span class="faint">
              {S.operate.daemons.referencedBy} <code>{referenced_by}</code>
            </span>
          </li>
        ))}
      </ul>
      <Table
        columns={[
          columns.host,
          { number: columns.worktrees },
          { number: columns.open },
          { number: columns.held },
          { number: columns.size },
        ]}
        none={S.operate.daemons.noWorktrees}
        count={worktrees.length}
      >
        {worktrees.map(({ host, kept: count, open, held, bytes: size }) => (
          <tr key={host}>
            <td>
              <VisibleText text={host} kind="text" />
            </td>
            {[count, open, held].map((value, index) => (
              <td key={index} class="number">
                {value.toLocaleString('en')}
              </td>
            ))}
            <td class="number">{bytes(size)}</td>
          </tr>
        ))}
      </Table>
    </section>
  );
}
