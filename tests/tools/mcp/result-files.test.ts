import { expect, test } from 'vitest';
import { outputOf } from '../../../src/tools/mcp/result-text.ts';
import { pdf, png } from '../../support/media-files.ts';

const none = (text: string) => text;
const image = (bytes: Buffer, mimeType = 'image/png') => ({ type: 'image', mimeType, data: bytes.toString('base64') });
const shot = png(80, 60);

test('images and embedded PDF files are files of the result, in order, and its text says what they are', () => {
  const resource = { uri: 'file:///a', mimeType: 'application/pdf', blob: pdf().toString('base64') };
  const content = [{ type: 'text', text: 'Clicked.' }, image(shot), { type: 'resource', resource }];
  const output = outputOf({ content }, none);
  expect(output.content).toBe(
    `Clicked.\n\n[image-1.png: image/png, 80 × 60 pixels, ${shot.length} bytes]\n\n[document-2.pdf: application/pdf, ${pdf().length} bytes]`,
  );
  expect(output.files).toEqual([
    { name: 'image-1.png', mediaType: 'image/png', bytes: shot },
    { name: 'document-2.pdf', mediaType: 'application/pdf', bytes: pdf() },
  ]);
});

test('the bytes say what an image is, not the server; what is none is named', () => {
  const content = [image(shot, 'text/plain'), image(Buffer.from('<svg/>'), 'image/png'), { type: 'image', data: 7 }];
  const output = outputOf({ content }, none);
  expect(output.files).toMatchObject([{ mediaType: 'image/png' }]);
  expect(output.content).toContain('[image image/png, 6 bytes: not shown]\n\n[image , 0 bytes: not shown]');
});

test('at most ten are shown; code and failed calls get none', () => {
  const content = Array.from({ length: 12 }, () => image(shot));
  const output = outputOf({ content }, none);
  expect(output.files).toHaveLength(10);
  expect(output.content.match(/: not shown\]/g)).toHaveLength(2);
  for (const without of [outputOf({ content }, none, 1_000_000), outputOf({ content, isError: true }, none)]) {
    expect(without.files).toBeUndefined();
    expect(without.content.match(/: not shown\]/g)).toHaveLength(12);
  }
});
