import { describe, expect, test } from 'vitest';
import { anthropicBody } from '../../../src/llm/anthropic/request.ts';
import type { ContentBlock, MediaBlock } from '../../../src/llm/client.ts';
import type { LocatedModel } from '../../../src/llm/locate-model.ts';
import { imageSize } from '../../../src/llm/media/image-size.ts';
import { mediaTokens } from '../../../src/llm/media/media-tokens.ts';
import { pdfPages } from '../../../src/llm/media/pdf.ts';
import { visibleMessages } from '../../../src/llm/media/visible-media.ts';
import type { ModelInfo } from '../../../src/llm/models/model-info.ts';
import { modelInfo } from '../../../src/llm/models/models.ts';
import { ollamaBody } from '../../../src/llm/ollama/request.ts';
import { openaiBody } from '../../../src/llm/openai/request.ts';
import { responsesBody } from '../../../src/llm/responses/request.ts';
import { wordsInRequest } from '../../../src/llm/wires.ts';
import { GIF, jpeg, pdf, png, WEBP } from '../../support/media-files.ts';

const base64 = (bytes: Buffer) => bytes.toString('base64');
const picture: MediaBlock = { type: 'image', mediaType: 'image/png', data: base64(png(3, 2)), name: 'p.png' };
const paper: MediaBlock = { type: 'document', mediaType: 'application/pdf', data: base64(pdf()), name: 'Paper.PDF' };
const RULES = { imageBytes: 1000, imageEdge: 100, animated: false };

describe('the size of an image', () => {
  test.each([
    ['PNG', png(640, 480), { width: 640, height: 480 }],
    ['GIF', GIF, { width: 1, height: 1 }],
    ['JPEG', jpeg(4000, 3000), { width: 4000, height: 3000 }],
    ['JPEG behind a comment', jpeg(7, 5, 60_000), { width: 7, height: 5 }],
    ['lossless WebP', WEBP, { width: 1, height: 1 }],
    ['lossy WebP', webp('VP8 ', [0, 0, 0, 0x9d, 0x01, 0x2a, 0x40, 0x01, 0xf0, 0x40]), { width: 320, height: 240 }],
    ['extended WebP', webp('VP8X', [0, 0, 0, 0, 0x3f, 0x01, 0, 0xef, 0, 0]), { width: 320, height: 240 }],
  ])('%s', (_, bytes, size) => {
    expect(imageSize(base64(bytes))).toEqual(size);
  });

  test.each([
    ['no image', Buffer.from('x'.repeat(100))],
    ['cut off', png().subarray(0, 20)],
    ['without a size', png(0, 7)],
    ['a JPEG without a frame', Buffer.concat([Buffer.from([0xff, 0xd8]), Buffer.alloc(100, 0xff)])],
    ['a JPEG whose segments have no length', Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(100)])],
    ['an unknown WebP', webp('VP9 ', [0, 0, 0, 0, 0, 0, 0, 0, 0, 0])],
  ])('is unknown: %s', (_, bytes) => {
    expect(imageSize(base64(bytes))).toBeNull();
  });
});

describe('tokens by estimate', () => {
  const image = (width: number, height: number): MediaBlock => ({ ...picture, data: base64(png(width, height)) });
  const tokens = (media: MediaBlock, name: string) => {
    const [provider, model] = name.split('/') as [string, string];
    return mediaTokens(media, model, modelInfo(provider, model));
  };

  test.each([
    // Anthropic's own table: 200 × 200 is 64, 1000 × 1000 is 1,296; more is scaled down.
    ['anthropic/claude-sonnet-4-5', 200, 200, 64],
    ['anthropic/claude-sonnet-4-5', 1000, 1000, 1296],
    ['anthropic/claude-sonnet-4-5', 4000, 3000, 1568],
    ['anthropic/claude-opus-5', 4000, 3000, 4784],
    ['gateway/claude-opus-5', 4000, 3000, 4784],
    ['openai/gpt-4.1', 1024, 1024, 1659],
    ['openai/gpt-4.1', 4000, 3000, 4050],
  ])('%s sees %d × %d as %d', (model, width, height, expected) => {
    expect(tokens(image(width, height), model)).toBe(expected);
  });

  test('an image whose size is unknown counts as a large one', () => {
    expect(tokens({ ...picture, data: 'aGFsbG8=' }, 'anthropic/claude-opus-5')).toBe(4784);
  });

  test('a PDF counts by its pages, or by its bytes where they are compressed', () => {
    expect(tokens({ ...paper, data: base64(pdf(3)) }, 'openai/gpt-4.1')).toBe(9600);
    expect(pdfPages(base64(Buffer.concat([Buffer.from('%PDF-1.7\n'), Buffer.alloc(120_000, 1)])))).toBe(3);
    expect(pdfPages(base64(Buffer.from('%PDF-1.7\n')))).toBe(1);
  });

  test('what a model cannot be shown takes as much as the words that say so', () => {
    expect(tokens(image(4000, 3000), 'deepseek/deepseek-v4-pro')).toBe(80);
    expect(tokens(paper, 'mistral/mistral-large')).toBe(80);
  });
});

describe('what a model cannot be shown is said in words', () => {
  const shown = (content: ContentBlock[], info = { images: true, documents: true }) =>
    visibleMessages({ model: 'm', messages: [{ role: 'user', content }] }, info, RULES)[0]!.content;
  const wordsOf = (block: MediaBlock, info?: { images: boolean; documents: boolean }) => {
    const [words] = shown([block], info);
    return words?.type === 'text' ? words.text : words;
  };

  test('an image, a PDF, another type, too many bytes, too many pixels', () => {
    const blind = { images: false, documents: false };
    expect(wordsOf(picture, blind)).toBe(
      '["p.png" is not shown to you: the model m cannot see images. Do not guess what is in it. If your task needs it, say in your answer that you could not see it.]',
    );
    expect(wordsOf(paper, { images: true, documents: false })).toContain('the model m cannot read PDF files');
    expect(wordsOf({ type: 'image', mediaType: 'image/tiff', data: 'aGk=' })).toContain(
      'this image is not shown to you: images of type image/tiff cannot be sent',
    );
    expect(wordsOf({ ...paper, mediaType: 'application/zip' })).toContain('files of type application/zip');
    expect(wordsOf({ ...picture, data: 'a'.repeat(1001) })).toContain('has 1001 bytes in base64, and the provider');
    expect(wordsOf({ ...picture, data: base64(png(101, 1)) })).toContain('has 101 × 1 pixels');
  });

  test('what it can be shown stays as it is, and so does a request without files', () => {
    expect(shown([picture, paper])).toEqual([picture, paper]);
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'x' }] }] as const;
    expect(visibleMessages({ model: 'm', messages }, { images: false, documents: false }, RULES)).toBe(messages);
  });

  test('a text document is shown to every model', () => {
    const note: MediaBlock = { type: 'document', mediaType: 'text/plain', data: 'aGk=' };
    expect(shown([note], { images: false, documents: false })).toEqual([note]);
  });

  test("a tool's image is replaced inside its result, on both wires", () => {
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'x' }] },
      { role: 'assistant', content: [{ type: 'tool_call', id: 'c1', name: 'look', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', callId: 'c1', content: [picture], isError: false }] },
    ] as const;
    const request = { model: 'blind', system: '', tools: [], messages, maxTokens: 10 };
    const model = modelInfo('local', 'blind');
    const bodies = [
      anthropicBody(request, false, { provider: 'p', model }),
      openaiBody(request, false, { provider: 'p', model, isOpenAi: false, callIds: /./, userAfterTools: true }),
    ].map((body) => JSON.stringify(body));
    for (const body of bodies) {
      expect(body).toContain('the model blind cannot see images');
      expect(body).not.toContain(picture.data);
    }
    const seeing = { ...model, images: true };
    expect(JSON.stringify(anthropicBody(request, false, { provider: 'p', model: seeing }))).toContain(picture.data);
  });

  test('Chat Completions gets the name of a PDF with its ending', () => {
    const request = {
      model: 'm',
      system: '',
      tools: [],
      messages: [{ role: 'user', content: [paper] }],
      maxTokens: 10,
    } as const;
    const model = { ...modelInfo('local', 'm'), documents: true };
    const body = openaiBody(request, false, {
      provider: 'p',
      model,
      isOpenAi: false,
      callIds: /./,
      userAfterTools: true,
    });
    expect(body['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'file', file: { filename: 'Paper.pdf', file_data: `data:application/pdf;base64,${paper.data}` } },
        ],
      },
    ]);
  });
});

/** The headers of a WebP whose first chunk is of this kind and begins with these bytes. */
function webp(kind: string, data: readonly number[]): Buffer {
  return Buffer.concat([Buffer.from(`RIFF\0\0\0\0WEBP${kind}\0\0\0\0`, 'latin1'), Buffer.from(data), Buffer.alloc(10)]);
}

describe('what is recorded in place of a file', () => {
  const request = {
    model: 'some',
    system: '',
    tools: [],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'Look.' }, picture, paper] }],
    maxTokens: 10,
  } as const;
  const kinds = [
    ['anthropic', (model: ModelInfo) => anthropicBody(request, false, { provider: 'p', model })],
    [
      'openai',
      (model: ModelInfo) =>
        openaiBody(request, false, { provider: 'p', model, isOpenAi: false, callIds: /./, userAfterTools: true }),
    ],
    ['responses', (model: ModelInfo) => responsesBody(request, false, { provider: 'p', model, isOpenAi: true })],
    ['ollama', (model: ModelInfo) => ollamaBody(request, false, { provider: 'p', model })],
  ] as const;

  test.each(kinds)('is what the request has, byte for byte: %s', (name, bodyOf) => {
    for (const images of [true, false]) {
      const info: ModelInfo = {
        ...modelInfo('local', 'some'),
        images,
        documents: false,
        wire: name === 'responses' ? 'responses' : null,
      };
      const kind = name === 'responses' ? 'openai' : name;
      const located = { provider: 'p', kind, model: 'some', info } as unknown as LocatedModel;
      const body = JSON.stringify(bodyOf(info));
      for (const file of [picture, paper]) {
        const words = wordsInRequest(located, file);
        expect(words === null).toBe(file === picture && images);
        expect(body.includes(file.data)).toBe(words === null);
        if (words !== null) expect(body).toContain(JSON.stringify(words).slice(1, -1));
      }
    }
  });
});
