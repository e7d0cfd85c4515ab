/** The bare routes in Hono on Node's server. Prints its URL; ends with its input. */
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { bareRoutes } from './bare-routes.ts';

const app = new Hono();
for (const { method, path, status, answer } of bareRoutes(process.env['DATABASE_URL']!)) {
  app.on(method, path, async (context) => {
    const { req } = context;
    const body: unknown = method === 'POST' ? await req.json() : undefined;
    const answered = await answer({ params: req.param(), person: req.header('x-person'), body });
    return context.json(answered as object, status);
  });
}
serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, ({ port }) => {
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});
process.stdin.resume().on('close', () => process.exit(0));
