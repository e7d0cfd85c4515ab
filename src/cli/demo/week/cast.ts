/** Who is in the week: the people of a small team, its faculties and their models. */
import type { ToolSpec } from '../../../core/work/conversation.ts';
import type { ServedFaculty } from '../../../store/work/daemons.ts';

/** Addresses of a domain that nobody can own, so that no login of a real person is one of them. */
export const PEOPLE = {
  mira: { name: 'mira.lindqvist@example.com', role: 'operator' },
  tomas: { name: 'tomás.ferreira@example.com', role: 'operator' },
  aiko: { name: 'aiko.田中@example.com', role: 'reader' },
  ben: { name: 'ben.okafor@example.com', role: 'submitter' },
  zoe: { name: 'zoë.van-den-berg@example.com', role: 'submitter' },
  ci: { name: 'ci@example.com', role: 'submitter' },
} as const;
export type PersonKey = keyof typeof PEOPLE;

/** A model, and what the demo says that it costs: USD per million tokens. */
export interface DemoModel {
  readonly provider: string;
  readonly model: string;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

const SONNET: DemoModel = {
  provider: 'anthropic',
  model: 'claude-sonnet-4-5',
  input: 3,
  output: 15,
  cacheRead: 0.3,
  cacheWrite: 3.75,
};
const HAIKU: DemoModel = {
  provider: 'anthropic',
  model: 'claude-haiku-4-5',
  input: 1,
  output: 5,
  cacheRead: 0.1,
  cacheWrite: 1.25,
};
const GPT: DemoModel = {
  provider: 'openai',
  model: 'gpt-5.2',
  input: 1.75,
  output: 14,
  cacheRead: 0.175,
  cacheWrite: 1.75,
};
/** Runs on the team's own machine. */
const QWEN: DemoModel = { provider: 'ollama', model: 'qwen3:32b', input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };

/** A faculty of the demo. No daemon serves one of these names. */
export interface DemoFaculty {
  readonly name: string;
  readonly description: string;
  readonly prompt: string;
  readonly models: readonly DemoModel[];
  readonly tools: readonly string[];
  readonly max: number;
  readonly maxAttempts: number;
}

export const FACULTIES = {
  engineer: faculty(
    'demo-engineer',
    'Reads, changes and tests the code of the booking service',
    [SONNET, SONNET, GPT],
    {
      tools: [
        'read_file',
        'list_dir',
        'grep',
        'edit_file',
        'write_file',
        'bash',
        'ledger_append',
        'ask_human',
        'spawn_child_work',
        'await_child_work',
      ],
    },
  ),
  reviewer: faculty('demo-reviewer', 'Reviews changes and says what must be better', [SONNET, GPT], {
    tools: ['read_file', 'grep', 'bash', 'ledger_append'],
  }),
  support: faculty('demo-support', 'Answers what travellers ask, and finds what is behind it', [HAIKU, HAIKU, QWEN], {
    tools: ['read_file', 'memory_search', 'memory_store', 'ledger_append', 'ask_human'],
    max: 8,
  }),
  researcher: faculty('demo-researcher', 'Finds and compares what is known about a question', [GPT, SONNET], {
    tools: ['web_search', 'web_fetch', 'write_file', 'ledger_append', 'spawn_child_work', 'await_child_work'],
  }),
  operator: faculty('demo-operator', 'Looks after the servers: asks before it changes anything', [SONNET], {
    tools: ['bash', 'read_file', 'ledger_append', 'ask_human'],
    max: 2,
  }),
  writer: faculty('demo-writer', 'Writes release notes, documentation and translations', [HAIKU, SONNET, QWEN], {
    tools: ['read_file', 'write_file', 'grep', 'ledger_append', 'create_skill'],
  }),
} as const satisfies Readonly<Record<string, DemoFaculty>>;

function faculty(
  name: string,
  description: string,
  models: readonly DemoModel[],
  { tools, max = 4 }: { readonly tools: readonly string[]; readonly max?: number },
): DemoFaculty {
  const prompt = [
    `You are ${name}, an agent of the team that builds Fjordline, a booking service for ferries. ${description}.`,
    'Keep a ledger of what you find and decide. Say what you did not do. Prices are in cents, times have a zone.',
  ].join('\n\n');
  return { name, description, prompt, models, tools, max, maxAttempts: 3 };
}

/** The tools as a focus of the faculty begins with them. */
export function toolSpecs({ tools }: DemoFaculty): readonly ToolSpec[] {
  return tools.map((name) => ({
    name,
    description: `See docs/tools.md: ${name}.`,
    inputSchema: { type: 'object', properties: {}, additionalProperties: true },
  }));
}

/** The faculties as their daemons record them. */
export function served(): Readonly<Record<string, ServedFaculty>> {
  return Object.fromEntries(
    Object.values(FACULTIES).map(({ name, description, max, maxAttempts }) => [
      name,
      {
        max,
        max_attempts: maxAttempts,
        dedup_until: 'resolved',
        batches: true,
        budgets: true,
        suspects: true,
        description,
      },
    ]),
  );
}

export const DAEMONS = [
  { id: '00000000-0000-7000-8000-0000000000d1', host: 'demo-harbour', pid: 4121 },
  { id: '00000000-0000-7000-8000-0000000000d2', host: 'demo-lighthouse', pid: 977 },
] as const;
