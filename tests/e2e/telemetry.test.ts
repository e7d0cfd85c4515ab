// Also on the wire openai.
import { expect, it, onTestFinished } from 'vitest';
import { makeSite, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { text, toolUse } from '../support/model-server/anthropic.ts';
import { MODEL, PROVIDER, startModelServer } from '../support/model-server/either-wire.ts';
import { startOtlpReceiver } from '../support/otlp-receiver.ts';

const SUBMITTER = { traceId: '0af7651916cd43dd8448eb211c80319c', spanId: 'b7ad6b7169203331' };
const SECRET_TEXT = 'the-content-of-the-prompt';

const model = MODEL.replace('openai/', '');
const chat = `chat ${model}`;

const pg = testDatabase({ anew: true });

it('the standard variables enable spans and logs: one tree per focus, linked to its submitter, without content', async () => {
  const collector = await startOtlpReceiver();
  onTestFinished(() => collector.close());
  const server = await startModelServer([
    { content: [toolUse('a', 'list_dir', { path: '.' }), toolUse('b', 'bash', { command: 'true' })] },
    { content: [text(`Done: ${SECRET_TEXT}`)] },
  ]);
  onTestFinished(() => server.close());
  const site = makeSite({
    modelUrl: server.url,
    databaseUrl: pg.connectionString,
    faculties: {
      clerk: `[faculty]\nname = "clerk"\ndescription = "x"\n[faculty.engage]\nmodel = "${MODEL}"\nsystem_prompt = "${SECRET_TEXT}"\ntools = ["list_dir", "bash"]`,
    },
  });
  const daemon = await startDaemon(site, [], {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  });
  await pg.database.query(
    `insert into animus.work_items (faculty, description, trace_context) values ('clerk', $1, $2)`,
    [SECRET_TEXT, `00-${SUBMITTER.traceId}-${SUBMITTER.spanId}-01`],
  );
  await eventually('the item is completed', async () => {
    const [row] = await pg.database.query(`select from animus.work_items where state = 'completed'`);
    return row ?? null;
  });
  await daemon.kill('SIGTERM'); // flushes

  // A focus that does not begin in one statement asks for its digest again.
  const digest = 'work.awareness.digest';
  const tree = (parentId: string | undefined): unknown =>
    collector.spans
      .filter((span) => span.name !== digest && (span.parentSpanId || undefined) === parentId)
      .toSorted((a, b) => Number(BigInt(a.startTimeUnixNano) - BigInt(b.startTimeUnixNano)))
      .map((span) => ({ [span.name]: tree(span.spanId) }));
  const execute = collector.spans.find((span) => span.name === 'work.execute')!;
  expect(tree(execute.parentSpanId || undefined)).toEqual([
    {
      'work.execute': [
        { 'work.orient': [] },
        {
          'work.engage': [
            {
              'work.engage.iteration': [{ [chat]: [] }, { 'execute_tool list_dir': [] }, { 'execute_tool bash': [] }],
            },
            { 'work.engage.iteration': [{ [chat]: [] }] },
          ],
        },
        { 'work.consolidate': [] },
      ],
    },
  ]);
  expect(collector.spans.find((span) => span.name === digest)?.traceId).toBe(execute.traceId);
  expect(execute.links).toMatchObject([SUBMITTER]);
  expect(collector.spans.find((span) => span.name === chat)!.attributes).toMatchObject({
    'gen_ai.operation.name': 'chat',
    'gen_ai.provider.name': PROVIDER,
    'gen_ai.request.model': model,
    'gen_ai.usage.input_tokens': 100,
    'gen_ai.usage.output_tokens': 10,
  });
  expect(collector.logs.some((line) => line.traceId === execute.traceId)).toBe(true);
  expect(JSON.stringify([collector.spans, collector.logs, collector.metrics])).not.toContain(SECRET_TEXT);
  expect(collector.metrics.map((metric) => metric.name)).toContain('gen_ai.client.token.usage');
});
