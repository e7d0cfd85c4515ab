/** OpenAI's Batch API: a file of requests, a batch over it, files of results. */
import { type Fault, fault } from '../wire/fault.ts';
import { asNumber, asObject, asObjects, asString, type Loose } from '../wire/loose-json.ts';
import {
  type BatchAnswer,
  type BatchApi,
  type BatchLook,
  ENDLESS_LIST,
  type Finding,
  type LineFault,
  MAX_PAGES,
  NOT_AN_ANSWER,
  type OutgoingBatch,
  type UnclearBatch,
} from './batch-api.ts';
import { type BatchHttp, UNREADABLE } from './batch-http.ts';
import { submissionOf } from './submission.ts';

/** The key of our id in the metadata of a batch. */
const OUR_ID = 'animus_batch';
const PAGE = 100;

export const openaiBatches: BatchApi = {
  async submit(batch, http) {
    const file = await upload(batch, http);
    // Without its file there is no batch, whatever became of the upload.
    if (!file.ok) return { kind: 'refused', fault: file.fault, ofRequests: false };
    const body = {
      input_file_id: file.id,
      endpoint: `/v1${batch.path}`,
      completion_window: '24h',
      metadata: { [OUR_ID]: batch.id },
    };
    return submissionOf(await http.json({ path: '/batches', body: JSON.stringify(body), once: true }));
  },
  find,
  async look(id, http) {
    const answer = await http.json({ path: pathOf(id) });
    return answer.ok ? lookOf(answer.value) : { kind: 'failed', fault: answer.fault };
  },
  results: (file, take, http) =>
    http.lines(`/files/${encodeURIComponent(file)}/content`, (line) => {
      const requestId = asString(line['custom_id']);
      if (requestId !== null) take(requestId, UNREADABLE in line ? NOT_AN_ANSWER : answerOf(line));
    }),
  async cancel(id, http) {
    const answer = await http.json({ path: `${pathOf(id)}/cancel`, body: '{}' });
    return answer.ok ? null : answer.fault;
  },
};

/** A second upload after a lost response leaves a file that nothing refers to; the provider removes it after 30 days. */
async function upload(
  batch: OutgoingBatch,
  http: BatchHttp,
): Promise<{ readonly ok: true; readonly id: string } | { readonly ok: false; readonly fault: Fault }> {
  const url = JSON.stringify(`/v1${batch.path}`);
  const lines = batch.requests.map(
    ({ id, body }) => `{"custom_id":${JSON.stringify(id)},"method":"POST","url":${url},"body":${body}}\n`,
  );
  // The id is in no body: a JSON text has no line that begins with dashes.
  const boundary = `----animus-${batch.id}`;
  const body = [
    `--${boundary}\r\ncontent-disposition: form-data; name="purpose"\r\n\r\nbatch\r\n`,
    `--${boundary}\r\ncontent-disposition: form-data; name="file"; filename="${batch.id}.jsonl"\r\ncontent-type: application/jsonl\r\n\r\n`,
    ...lines,
    `\r\n--${boundary}--\r\n`,
  ].join('');
  const contentType = `multipart/form-data; boundary=${boundary}`;
  const answer = await http.json({ path: '/files', body, contentType });
  if (!answer.ok) return answer;
  const id = asString(answer.value['id']) || null;
  return id === null ? { ok: false, fault: fault('protocol', 'the response does not name a file') } : { ok: true, id };
}

/** Batches are listed newest first, with their metadata. */
async function find(batch: UnclearBatch, http: BatchHttp): Promise<Finding> {
  for (let after = '', pages = 0; ; pages++) {
    if (pages === MAX_PAGES) return { kind: 'failed', fault: ENDLESS_LIST };
    const cursor = after === '' ? '' : `&after=${encodeURIComponent(after)}`;
    const page = await http.json({ path: `/batches?limit=${PAGE}${cursor}` });
    if (!page.ok) return { kind: 'failed', fault: page.fault };
    const data = asObjects(page.value['data']);
    const ours = data.find((each) => asObject(each['metadata'])?.[OUR_ID] === batch.id);
    const providerId = asString(ours?.['id']);
    if (providerId !== null) return { kind: 'found', providerId };
    const since = data.filter((each) => !((asNumber(each['created_at']) ?? Number.NaN) * 1000 < batch.sinceMs));
    after = asString(page.value['last_id']) ?? asString(data.at(-1)?.['id']) ?? '';
    if (page.value['has_more'] !== true || after === '' || since.length < data.length) return { kind: 'absent' };
  }
}

/** `completed`, `expired` and `cancelled` batches have results; a `failed` one was refused before anything ran. */
function lookOf(batch: Loose): BatchLook {
  const status = asString(batch['status']);
  if (status === 'failed') {
    const errors = asObjects(asObject(batch['errors'])?.['data']);
    const messages = errors.map((error) => asString(error['message']) ?? asString(error['code']) ?? '');
    const problem = messages
      .filter((message) => message !== '')
      .slice(0, 5)
      .join('; ');
    return {
      kind: 'ended',
      files: [],
      answered: 0,
      problem: problem || 'the provider refused the batch',
      lines: errors.flatMap(lineOf),
    };
  }
  if (status !== 'completed' && status !== 'expired' && status !== 'cancelled') return { kind: 'running' };
  // OpenAI writes an absent file as null or as an empty text.
  const files = [batch['output_file_id'], batch['error_file_id']].flatMap((file) => asString(file) || []);
  const answered = asNumber(asObject(batch['request_counts'])?.['completed']) ?? 0;
  return { kind: 'ended', files, answered, problem: null, lines: [] };
}

function lineOf(error: Loose): LineFault[] {
  const line = asNumber(error['line']);
  if (line === null) return [];
  const { message, code } = error;
  return [{ line, answer: { status: 400, body: { error: { type: 'invalid_request_error', message, code } } } }];
}

function answerOf(line: Loose): BatchAnswer {
  const response = asObject(line['response']);
  const status = asNumber(response?.['status_code']);
  if (response && status !== null) return { status, body: response['body'] };
  const code = asString(asObject(line['error'])?.['code']);
  if (code === 'batch_expired') return { ended: 'expired' };
  if (code === 'batch_cancelled') return { ended: 'cancelled' };
  return { status: 0, body: { error: line['error'] } };
}

function pathOf(id: string): string {
  return `/batches/${encodeURIComponent(id)}`;
}
