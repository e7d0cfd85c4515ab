import { describe, expect, test } from 'vitest';
import { ANTHROPIC_MEDIA } from '../../../src/llm/anthropic/request.ts';
import { damageOf, mediaTypeOf, sizeOfImage } from '../../../src/llm/media/inspect-media.ts';
import { SCALED_IMAGES, wordsInPlace } from '../../../src/llm/media/visible-media.ts';
import { testDatabase } from '../../support/database.ts';
import { GIF, jpeg, pdf, png, WEBP } from '../../support/media-files.ts';

const SEES = { images: true, documents: true };

describe('what a file is', () => {
  const pg = testDatabase();

  test('is told by its first bytes, as the database does it', async () => {
    const files = [
      png(),
      jpeg(),
      GIF,
      WEBP,
      pdf(),
      Buffer.from('GIF87 a'),
      Buffer.from('RIFF1234WAVE'),
      Buffer.from('x'),
    ];
    for (const file of files) {
      const [row] = await pg.database.query<{ type: string | null; cut: boolean }>(
        'select animus.sniff_media_type($1) as type, animus.is_cut_off($1, animus.sniff_media_type($1)) as cut',
        [file],
      );
      expect(mediaTypeOf(file)).toBe(row!.type?.startsWith('text/') ? null : row!.type);
      expect(row!.cut).toBe(false);
    }
  });

  test('an image that is cut off is damaged, as the database says of PNG and WebP', async () => {
    for (const whole of [png(30, 30), WEBP]) {
      const cut = whole.subarray(0, whole.length - 3);
      const [row] = await pg.database.query<{ cut: boolean }>(
        'select animus.is_cut_off($1, animus.sniff_media_type($1)) as cut',
        [cut],
      );
      expect(row!.cut).toBe(true);
      expect(damageOf(cut, mediaTypeOf(cut)!)).toBe('the image is cut off: its last part is missing');
      expect(damageOf(whole, mediaTypeOf(whole)!)).toBeNull();
    }
    const header = jpeg(10, 10).subarray(0, 6);
    expect(damageOf(header, 'image/jpeg')).toBe('the image is damaged: its header cannot be read');
    expect(damageOf(Buffer.concat([Buffer.from('GIF89a'), Buffer.alloc(40)]), 'image/gif')).toContain('damaged');
  });
});

test('a PDF that is encrypted, or has too many pages, is in no request', () => {
  const encrypted = Buffer.from(pdf().toString().replace('/Root 1 0 R', '/Root 1 0 R /Encrypt 9 0 R'));
  expect(damageOf(encrypted, 'application/pdf')).toBe('the PDF file is encrypted');
  expect(
    damageOf(Buffer.from(pdf().toString().replace('/Root', '/Encryption_notes /Root')), 'application/pdf'),
  ).toBeNull();
  expect(damageOf(pdf(101), 'application/pdf')).toContain('about 101 pages, and providers take at most 100');
  expect(damageOf(pdf(100), 'application/pdf')).toBeNull();
});

test('an image bomb is told by its header', () => {
  const bomb = png();
  bomb.writeUInt32BE(60_000, 16);
  bomb.writeUInt32BE(60_000, 20);
  expect(sizeOfImage(bomb)).toEqual({ width: 60_000, height: 60_000 });
  const block = { type: 'image', mediaType: 'image/png', data: bomb.toString('base64') } as const;
  expect(wordsInPlace(block, 'm', SEES, SCALED_IMAGES)).toContain(
    '60000 × 60000 pixels, and providers take at most 100000000',
  );
  expect(wordsInPlace(block, 'm', SEES, ANTHROPIC_MEDIA)).toContain('the provider takes at most 8000 on an edge');
});

test('an animated GIF is shown only where its first picture is taken', () => {
  const frame = GIF.subarray(19, GIF.length - 1);
  const animated = Buffer.concat([GIF.subarray(0, GIF.length - 1), frame, Buffer.from(';')]);
  const block = (file: Buffer) => ({ type: 'image', mediaType: 'image/gif', data: file.toString('base64') }) as const;
  expect(wordsInPlace(block(animated), 'm', SEES, SCALED_IMAGES)).toContain('the GIF is animated');
  expect(wordsInPlace(block(animated), 'm', SEES, ANTHROPIC_MEDIA)).toBeNull();
  expect(wordsInPlace(block(GIF), 'm', SEES, SCALED_IMAGES)).toBeNull();
});
