/** Child work with real daemons that have fewer slots than there are parents, and that are killed. */
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeSite, runAnimus, type Site, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startModelServer } from '../support/model-server/either-wire.ts';
import { readTree, splittingProgramme, TREE_FACULTY, task } from './family-tree.ts';

const CONFIG = '[daemon]\nlease_seconds = 5\npoll_seconds = 1\nmax_concurrent = 2\n';

describe('a parent with 50 children, 10 of which are parents, and a daemon with two slots', () => {
  const pg = testDatabase();

  it('finishes, because those that wait hold no slot', async () => {
    const site = await treeSite(pg.connectionString);
    await startDaemon(site);
    const id = await submit(pg, task(50, 10, 2));
    await ended(pg, id, 120);
    await expectWhole(id);
  }, 150_000);

  it('finishes if its daemons are killed again and again', async () => {
    const site = await treeSite(pg.connectionString);
    const id = await submit(pg, task(50, 10, 2));
    for (let kill = 1; kill <= 5; kill++) {
      const daemon = await startDaemon(site);
      // At some moment between two of its commits.
      await progressed(id, kill * 9);
      await daemon.kill('SIGKILL');
    }
    await startDaemon(site);
    await ended(pg, id, 180);
    await expectWhole(id);
  }, 240_000);

  async function expectWhole(id: string): Promise<void> {
    const tree = await readTree(pg.database, id);
    const root = { depth: 0, state: 'completed', foci: 1, waits: 1, spawned: 50, children: 50 };
    expect(tree[0]).toEqual({ ...root, summary: 'Children: 50 completed' });
    const inner = tree.filter((item) => item.depth === 1 && item.children > 0);
    expect(inner).toEqual(
      Array.from({ length: 10 }, () => ({
        ...root,
        depth: 1,
        summary: 'Children: 2 completed',
        spawned: 2,
        children: 2,
      })),
    );
    expect(tree.filter((item) => item.depth === 2)).toHaveLength(20);
    expect(tree.every((item) => item.state === 'completed' && item.foci === 1)).toBe(true);
  }

  /** Resolves when so many items of the tree have ended. */
  function progressed(id: string, items: number): Promise<object> {
    return eventually(`${items} items have ended`, async () => {
      const [row] = await pg.database.query<{ ended: number }>(
        `select count(*)::int as ended from animus.work_items where root_id = $1 and resolved_at is not null`,
        [id],
      );
      return row!.ended >= items ? row! : null;
    });
  }
});

describe('on the embedded database', () => {
  it('a parent gets the results of its children', async () => {
    const site = await treeSite();
    await startDaemon(site);
    const submitted = await runAnimus(site, ['work', 'submit', 'tree', task(3), '--wait', '--json']);
    expect(submitted.stdout).toContain('Children: 3 completed');
  }, 180_000);
});

async function treeSite(databaseUrl?: string): Promise<Site> {
  const server = await startModelServer(splittingProgramme);
  onTestFinished(() => server.close());
  const faculties = { tree: TREE_FACULTY };
  return makeSite({
    modelUrl: server.url,
    config: CONFIG,
    faculties,
    ...(databaseUrl !== undefined && { databaseUrl }),
  });
}

async function submit(pg: ReturnType<typeof testDatabase>, description: string): Promise<string> {
  const [row] = await pg.database.query<{ id: string }>(
    `insert into animus.work_items (faculty, description) values ('tree', $1) returning id`,
    [description],
  );
  return row!.id;
}

function ended(pg: ReturnType<typeof testDatabase>, id: string, seconds: number): Promise<object> {
  return eventually(
    'the parent has ended',
    async () =>
      (await pg.database.query('select from animus.work_items where id = $1 and resolved_at is not null', [id]))[0] ??
      null,
    seconds,
  );
}
