import { expect, test } from 'vitest';
import { testApi } from '../../support/api.ts';

const { start } = testApi();
const bytes = Buffer.from(Array.from({ length: 700_000 }, (_, n) => n % 251));

async function withFile(content: Buffer, name = 'data.bin') {
  const api = await start();
  const attachments = [{ name, content: content.toString('base64') }];
  const { body: item } = await api.call('alice', 'POST', '/work', { body: { faculty: 'engineer', attachments } });
  const { body } = await api.call('alice', 'GET', `/work/${item.id}/artifacts`);
  const [file] = body.items;
  const authorization = `Bearer ${await api.tokenOf('alice')}`;
  const get = (headers: Record<string, string> = {}) =>
    fetch(`${api.url}/api/v1/artifacts/${file.id}`, { headers: { authorization, ...headers } });
  return { file, get };
}

// With the last chunk of a PNG: a file that is cut off is refused.
const png = Buffer.concat([
  Buffer.from('89504e470d0a1a0a', 'hex'),
  bytes,
  Buffer.from('0000000049454e44ae426082', 'hex'),
]);

test('a file is sent as it is, and as an attachment', async () => {
  const { file, get } = await withFile(png, 'plän "a".png');
  expect(file).toMatchObject({ bytes: png.length, media_type: 'image/png' });
  const whole = await get();
  expect([whole.status, whole.headers.get('content-length'), whole.headers.get('content-type')]).toEqual([
    200,
    String(png.length),
    'image/png',
  ]);
  expect(whole.headers.get('content-disposition')).toBe(`attachment; filename*=UTF-8''pl%C3%A4n%20%22a%22.png`);
  expect(whole.headers.get('content-security-policy')).toBe('sandbox');
  expect(Buffer.from(await whole.arrayBuffer()).equals(png)).toBe(true);
  const known = await get({ 'if-none-match': whole.headers.get('etag')! });
  expect([known.status, await known.text()]).toEqual([304, '']);
});

test.each([
  ['bytes=0-9', 0, 9],
  ['bytes=524280-524300', 524_280, 524_300],
  ['bytes=-5', png.length - 5, png.length - 1],
  [`bytes=${png.length - 1}-`, png.length - 1, png.length - 1],
  ['bytes=5-99999999', 5, png.length - 1],
])('%s', async (range, first, last) => {
  const { get } = await withFile(png, 'a.png');
  const part = await get({ range });
  expect([part.status, part.headers.get('content-range')]).toEqual([206, `bytes ${first}-${last}/${png.length}`]);
  expect(Buffer.from(await part.arrayBuffer()).equals(png.subarray(first, last + 1))).toBe(true);
});

test('ranges that are beyond the end, of another form, or of another file', async () => {
  const { get } = await withFile(png, 'a.png');
  const beyond = await get({ range: `bytes=${png.length}-` });
  expect([beyond.status, beyond.headers.get('content-range')]).toEqual([416, `bytes */${png.length}`]);
  for (const headers of [
    { range: 'bytes=9-3' },
    { range: 'lines=1-2' },
    { range: 'bytes=0-1', 'if-range': '"other"' },
  ]) {
    const whole = await get(headers);
    expect(whole.status).toBe(200);
    await whole.body?.cancel();
  }
});
