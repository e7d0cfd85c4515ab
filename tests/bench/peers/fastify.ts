/** The bare routes in Fastify. Prints its URL; ends with its input. */
import { fastify } from 'fastify';
import { bareRoutes } from './bare-routes.ts';

const app = fastify();
for (const { method, path, status, answer } of bareRoutes(process.env['DATABASE_URL']!)) {
  app.route({
    method,
    url: path,
    async handler({ params, headers, body }, reply) {
      const person = headers['x-person'] as string | undefined;
      reply.code(status);
      return answer({ params: params as Record<string, string>, person, body });
    },
  });
}
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`);
process.stdin.resume().on('close', () => process.exit(0));
