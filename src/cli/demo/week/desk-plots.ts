/** Plots of work with words, for travellers and the team. */
import { FACULTIES, type PersonKey } from './cast.ts';
import type { Chapter } from './chapter.ts';
import { note } from './item-life.ts';
import { booking, QUESTIONS_OF_TRAVELLERS, RESEARCH, TEXTS_TO_WRITE, TRAVELLERS } from './phrases.ts';
import type { Random } from './random.ts';
import type { Plot } from './stories.ts';

/** A traveller asks. */
export function support(random: Random): Plot {
  const number = booking(random);
  const [asked, answer] = random.pick(QUESTIONS_OF_TRAVELLERS);
  const question = asked.replace('{booking}', number);
  const traveller = random.pick(TRAVELLERS);
  return {
    task: {
      faculty: FACULTIES.support,
      description: `T-${random.between(10_000, 99_999)} ${traveller} asks: ${question}`,
      params: { booking: number, from: traveller, language: 'auto' },
      by: null,
      source: 'inbox',
    },
    chapters: [
      {
        says: '',
        calls: [
          {
            tool: 'memory_search',
            input: { query: question.slice(0, 60) },
            output: `1. ${answer}`,
            ms: random.between(8, 60),
          },
        ],
      },
      ...(random.chance(0.3)
        ? [
            {
              says: `I check booking ${number}.`,
              calls: [
                {
                  tool: 'read_file',
                  input: { path: `bookings/${number}.json` },
                  output: `{"booking":"${number}","name":${JSON.stringify(traveller)},"class":"Flex"}`,
                  ms: 12,
                },
              ],
            },
          ]
        : []),
    ],
    end: { as: 'completed', outcome: { reply: answer, escalate: false }, summary: answer },
  };
}

/** Something is looked up. */
export function research(random: Random): Plot {
  const subject = random.pick(RESEARCH);
  const by: PersonKey = random.pick(['zoe', 'mira', 'aiko'] as const);
  const searches = random.between(2, 5);
  return {
    file: { name: 'report.md', content: `# ${subject}\n\n${PARAGRAPH.repeat(12)}` },
    task: {
      faculty: FACULTIES.researcher,
      description: `Find out ${subject}. Sources, and what we should do.`,
      params: { pages: 2 },
      by: by === 'aiko' ? 'zoe' : by,
    },
    chapters: [
      ...Array.from(
        { length: searches },
        (_, n): Chapter => ({
          says: n === 0 ? 'I begin with an overview.' : '',
          calls: Array.from({ length: random.between(1, 3) }, (_unused, m) => ({
            tool: m === 0 ? 'web_search' : 'web_fetch',
            input: m === 0 ? { query: `${subject} ${2024 + n}` } : { url: `https://docs.example.org/${n}/${m}` },
            output: random.chance(0.12)
              ? 'The server answered 503.'
              : `# ${subject}\n\n${PARAGRAPH.repeat(random.between(1, 8))}`,
            ms: random.between(200, 6000),
          })),
        }),
      ),
      {
        says: 'Enough to write it down.',
        calls: [
          note('finding', `${searches} sources agree on ${subject}.`),
          {
            tool: 'write_file',
            input: { path: 'report.md', content: `# ${subject}\n\n${PARAGRAPH.repeat(6)}` },
            output: 'wrote report.md',
            ms: 9,
          },
        ],
      },
    ],
    end: {
      as: 'completed',
      outcome: { report: 'report.md', sources: searches * 2 },
      summary: `Report on ${subject}: two pages, ${searches * 2} sources.`,
    },
  };
}

const PARAGRAPH =
  'Most lines tell travellers by text message within ten minutes, and repeat it when the time changes by more than a quarter of an hour. None of them says why. ';

/** Something is written. */
export function writing(random: Random): Plot {
  const subject = random.pick(TEXTS_TO_WRITE);
  return {
    task: {
      faculty: FACULTIES.writer,
      description: `Write ${subject}.`,
      params: { tone: 'plain' },
      by: random.pick(['zoe', 'ben', 'mira'] as const),
    },
    chapters: [
      {
        says: '',
        calls: [
          {
            tool: 'read_file',
            input: { path: 'docs/style.md' },
            output: 'Short sentences. Say what it does before why.',
            ms: 6,
          },
        ],
      },
      {
        says: 'A draft.',
        calls: [
          {
            tool: 'write_file',
            input: { path: 'draft.md', content: PARAGRAPH.repeat(3) },
            output: 'wrote draft.md',
            ms: 8,
          },
          note('decision', 'One page, and the prices in a table of their own.'),
        ],
      },
    ],
    end: {
      as: 'completed',
      outcome: { file: 'draft.md', words: random.between(180, 900) },
      summary: `Wrote ${subject}.`,
    },
  };
}
