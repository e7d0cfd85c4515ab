/** Anthropic's Message Batches API. */
import { asNumber, asObject, asObjects, asString, type Loose } from '../wire/loose-json.ts';
import {
  type BatchAnswer,
  type BatchApi,
  ENDLESS_LIST,
  type Finding,
  MAX_PAGES,
  NOT_AN_ANSWER,
  type OutgoingBatch,
  type UnclearBatch,
} from './batch-api.ts';
import { type BatchHttp, UNREADABLE } from './batch-http.ts';
import { submissionOf } from './submission.ts';

const PATH = '/v1/messages/batches';
const PAGE = 100;

export const anthropicBatches: BatchApi = {
  async submit(batch, http) {
    const { headers } = batch;
    return submissionOf(await http.json({ path: PATH, headers, body: bodyOf(batch), once: true }));
  },
  find,
  async look(id, http) {
    const answer = await http.json({ path: pathOf(id) });
    if (!answer.ok) return { kind: 'failed', fault: answer.fault };
    if (answer.value['processing_status'] !== 'ended') return { kind: 'running' };
    // The path of the results is ours: a URL in a response is nowhere to send the key to.
    const answered = asNumber(asObject(answer.value['request_counts'])?.['succeeded']) ?? 0;
    return { kind: 'ended', files: [id], answered, problem: null, lines: [] };
  },
  results: (id, take, http) =>
    http.lines(`${pathOf(id)}/results`, (line) => {
      const requestId = asString(line['custom_id']);
      if (requestId === null) return;
      take(requestId, UNREADABLE in line ? NOT_AN_ANSWER : answerOf(asObject(line['result']) ?? {}));
    }),
  async cancel(id, http) {
    const answer = await http.json({ path: `${pathOf(id)}/cancel`, body: '' });
    return answer.ok ? null : answer.fault;
  },
};

/** Joined as text: the bodies are sent byte for byte as they were recorded. */
function bodyOf({ requests }: OutgoingBatch): string {
  const each = requests.map(({ id, body }) => `{"custom_id":${JSON.stringify(id)},"params":${body}}`);
  return `{"requests":[${each.join(',')}]}`;
}

/**
 * The list shows neither our id nor those of the requests, only counts, and the results come when a batch has ended. A batch of
 * another program with as many requests is a candidate until its results are read.
 */
async function find(batch: UnclearBatch, http: BatchHttp): Promise<Finding> {
  const listed = await candidates(batch, http);
  if (!Array.isArray(listed)) return listed;
  const known = await batch.known(listed.map((each) => asString(each['id']) ?? ''));
  let undecided = 0;
  for (const candidate of listed) {
    const id = asString(candidate['id']) ?? '';
    if (known.includes(id) || batch.dismissed.has(id)) continue;
    if (candidate['processing_status'] !== 'ended') {
      undecided += 1;
      continue;
    }
    let ours = false;
    const problem = await anthropicBatches.results(
      id,
      (requestId) => (ours ||= batch.requestIds.includes(requestId)),
      http,
    );
    if (ours) return { kind: 'found', providerId: id };
    if (problem) return { kind: 'failed', fault: problem };
    batch.dismissed.add(id);
  }
  return undecided > 0 ? { kind: 'undecided', candidates: undecided } : { kind: 'absent' };
}

/** Batches since then with as many requests, newest first, as the API lists them. */
async function candidates(
  batch: UnclearBatch,
  http: BatchHttp,
): Promise<Loose[] | Extract<Finding, { kind: 'failed' }>> {
  const found: Loose[] = [];
  for (let after = '', pages = 0; ; pages++) {
    if (pages === MAX_PAGES) return { kind: 'failed', fault: ENDLESS_LIST };
    const cursor = after === '' ? '' : `&after_id=${encodeURIComponent(after)}`;
    const page = await http.json({ path: `${PATH}?limit=${PAGE}${cursor}` });
    if (!page.ok) return { kind: 'failed', fault: page.fault };
    const data = asObjects(page.value['data']);
    const since = data.filter((each) => !(createdMs(each) < batch.sinceMs));
    found.push(...since.filter((each) => countOf(each) === batch.requests));
    after = asString(page.value['last_id']) ?? '';
    if (page.value['has_more'] !== true || after === '' || since.length < data.length) return found;
  }
}

function createdMs(batch: Loose): number {
  return Date.parse(asString(batch['created_at']) ?? '');
}

/** While a batch runs, all its requests count as processing; afterwards the counts add up to their number. */
function countOf(batch: Loose): number {
  const counts = Object.values(asObject(batch['request_counts']) ?? {});
  return counts.reduce<number>((sum, count) => sum + (asNumber(count) ?? 0), 0);
}

function answerOf(result: Loose): BatchAnswer {
  switch (result['type']) {
    case 'succeeded':
      return { status: 200, body: result['message'] };
    case 'errored':
      return { status: 0, body: result['error'] };
    case 'expired':
      return { ended: 'expired' };
    case 'canceled':
      return { ended: 'cancelled' };
    default:
      return { ended: 'missing' };
  }
}

function pathOf(id: string): string {
  return `${PATH}/${encodeURIComponent(id)}`;
}
