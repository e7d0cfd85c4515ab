/** What the soak tells. */
import type { Database } from '../../src/store/sql/database.ts';
import { pause } from './trouble.ts';

export async function figuresOf(db: Database): Promise<string> {
  const [row] = await db.query<{ line: string }>(
    `select format('%s items, %s completed, %s cancelled, %s open, %s turns, %s claims, %s take-overs, %s failures, %s effects',
       (select count(*) from animus.work_items), (select count(*) from animus.work_items where state = 'completed'),
       (select count(*) from animus.work_items where state = 'cancelled'), (select count(*) from animus.work_items where resolved_at is null),
       (select count(*) from animus.turns where recorded_at is not null),
       (select count(*) from story where after = 'claimed'), (select count(*) from story where before in ('claimed', 'running') and after = 'claimed'),
       (select count(*) from animus.foci where ended_as = 'failed'), (select count(*) from effects)) as line`,
  );
  return row!.line;
}

export function told(counts: ReadonlyMap<string, number>, restarts: number): string {
  return [...counts, ['end of a daemon whose loop was blocked', restarts] as const]
    .map(([trouble, count]) => `${count} × ${trouble}`)
    .join(', ');
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** For calls during which the server may be away. */
export async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (tries >= 10) throw error;
      await pause(1000);
    }
  }
}

/** At most three of each kind: of those that differ by an id only. */
export function someOfEach(found: readonly string[]): string[] {
  const kinds = Map.groupBy(found, (line) => line.replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, ''));
  return [...kinds.values()].flatMap((lines) => lines.slice(0, 3));
}
