/** Records the effects of work: a table of effects that is fed over TCP, and the history of every item. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Database } from '../../../src/store/sql/database.ts';

export interface EffectsServer {
  readonly port: number;
  close(): Promise<void>;
}

/** Accepts one line per effect, with an item's id, and replies when it is in the table. */
export async function startEffectsServer(db: Database): Promise<EffectsServer> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}); // a killed command resets its connection
    socket.on('close', () => sockets.delete(socket));
    socket.once('data', (line) => {
      const written = db.query('insert into effects (item) values ($1)', [line.toString().trim()]);
      written.then(
        () => socket.end('ok\n'),
        () => socket.destroy(), // the server is away: the command fails and reports it
      );
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Tables of the test: effects, and every step of every item with the token and the counts before and after. */
export async function recordStory(db: Database): Promise<void> {
  await db.query(`create table effects (n bigint generated always as identity, item text not null)`);
  await db.query(`create table story (
    n bigint generated always as identity, item uuid not null, before text not null, after text not null,
    token bigint, attempts_before int not null, attempts_after int not null, crashes_before int not null, progressed boolean not null,
    at timestamptz not null default clock_timestamp())`);
  await db.query(`create function tell_story() returns trigger language plpgsql security definer as $$ begin
    insert into public.story (item, before, after, token, attempts_before, attempts_after, crashes_before, progressed)
    values (old.id, old.state, new.state, new.lease_token, old.attempts, new.attempts, old.crashes, old.turns > old.turns_at_claim);
    return null; end $$`);
  await db.query(`create trigger tell_story after update on animus.work_items for each row
    when (old.state <> new.state or old.lease_token is distinct from new.lease_token or old.attempts <> new.attempts)
    execute function tell_story()`);
}
