import { expect, test } from 'vitest';
import type { BatchCall, BatchHttp } from '../../../src/llm/batch/batch-http.ts';
import { openaiBatches } from '../../../src/llm/batch/openai-batches.ts';

const ID = '0193e3a1-0000-7000-8000-000000000001';

test('a batch carries our id under a name that every version of animus looks for', async () => {
  const sent: BatchCall[] = [];
  const http: BatchHttp = {
    async json(call) {
      sent.push(call);
      return { ok: true, value: { id: call.path === '/files' ? 'file_1' : 'batch_1' } };
    },
    lines: async () => null,
  };
  const requests = [{ id: 'r1', body: '{}' }];
  await openaiBatches.submit({ id: ID, path: '/chat/completions', headers: {}, requests }, http);
  expect(JSON.parse(sent[1]!.body!)).toMatchObject({ metadata: { animus_batch: ID } });
});
