/** Reads the public table of prices out of its npm package, as data: nothing of the package runs. */
import { type AnyNode, type Expression, parse } from 'acorn';
import { z } from 'zod';
import type { FileRates, PricedModel, PriceFile } from './price-file.ts';

/** The package, by Pydantic (MIT): a table that its maintainers and many users keep right. */
export const PRICE_PACKAGE = '@pydantic/genai-prices';

/** Of one file of it. */
export const MOST_PACKAGE_BYTES = 8 * 1024 * 1024;

const tiered = z.union([
  z.number(),
  z.object({ base: z.number(), tiers: z.array(z.object({ start: z.number(), price: z.number() })) }),
]);

const perMillion = z.object({
  input_mtok: tiered.optional(),
  output_mtok: tiered.optional(),
  cache_read_mtok: tiered.optional(),
  cache_write_mtok: tiered.optional(),
});

type PerMillion = z.output<typeof perMillion>;

const constraint = z.union([
  z.object({ type: z.literal('start_date'), start_date: z.string() }),
  z.object({ type: z.literal('time_of_date'), start_time: z.string(), end_time: z.string() }),
]);

const tableSchema = z.array(
  z.object({
    id: z.string(),
    models: z.array(
      z.object({
        id: z.string(),
        match: z.unknown(),
        context_window: z.number().optional(),
        prices: z.union([z.array(z.object({ constraint: constraint.optional(), prices: perMillion })), perMillion]),
      }),
    ),
  }),
);

type TableModel = z.output<typeof tableSchema>[number]['models'][number];

/** The providers of the table whose prices animus uses, by the name that they have in `animus.toml`. */
const VENDORS: Readonly<Record<string, string>> = {
  anthropic: 'anthropic',
  openai: 'openai',
  deepseek: 'deepseek',
  xai: 'x-ai',
  google: 'google',
  mistral: 'mistral',
  moonshot: 'moonshotai',
  zai: 'zai',
  minimax: 'minimax',
  cohere: 'cohere',
  cerebras: 'cerebras',
  groq: 'groq',
};

/** Models that do not chat, retired ones, fine-tuned ones, and names of other vendors. Embeddings stay. */
const LEFT_OUT =
  /realtime|audio|image|vision|tts|transcri|whisper|moderation|search|deep-research|davinci|babbage|robotics|live|voice|ocr|voxtral|guard|computer-use|^ft:|[.:]ft-|:extended|^ada$|^curie$|^claude-(2|v1)|^gpt-oss/;

/**
 * The prices in the package's `dist/index.js`. Those that have ended by the day `checked` are left out. Errors: a text that is not such a
 * file, with what is wrong.
 */
export function readPricePackage(code: string, source: PriceFile['source']): PriceFile {
  const table = tableSchema.parse(literalsOf(code));
  const vendors = Object.entries(VENDORS).map(([vendor, id]) => {
    const models = table.find((each) => each.id === id)?.models ?? [];
    const ids = new Set(models.map((model) => model.id));
    const priced = models.flatMap((model) => {
      const foreign = vendor === 'google' && model.id.includes('claude');
      if ((vendor !== 'groq' && LEFT_OUT.test(model.id)) || foreign) return [];
      const plain = model.id.replace(/-latest$/, '');
      const read = pricedModel(model, vendor, source.checked);
      const name = ids.has(plain) ? model.id : plain;
      return read === null ? [] : [[vendor === 'zai' ? name.toLowerCase() : name, read] as const];
    });
    return [vendor, Object.fromEntries(priced)] as const;
  });
  return { source, unit: 'USD per million tokens', vendors: Object.fromEntries(vendors) };
}

function pricedModel(model: TableModel, vendor: string, checked: string): PricedModel | null {
  const list = Array.isArray(model.prices) ? model.prices : [{ prices: model.prices }];
  // Later entries win, so what stands before the last one that holds for all calls by now plays no part any more.
  const base = list.findLastIndex(({ constraint: when }) => when === undefined || begun(when, checked));
  const [first, ...changes] = list.slice(Math.max(0, base));
  const reachable = (found: FileRates | null) => withoutUnreachable(found, model.context_window);
  const rates = first && reachable(ratesOf(first.prices));
  if (!rates) return null;
  // Gateways write versions of Claude with a dot; at Anthropic that is a typing error.
  const names = namesIn(model.match).filter(
    (name) => name !== model.id && !(vendor === 'anthropic' && name.includes('.')),
  );
  const later = changes.flatMap(({ constraint: when, prices }) => {
    const changed = reachable(ratesOf(prices));
    return changed === null || when === undefined ? [] : [{ ...whenOf(when), ...changed }];
  });
  return {
    ...(names.length > 0 && { names: [...new Set(names)] }),
    ...(model.context_window !== undefined && { contextWindow: model.context_window }),
    rates,
    ...(later.length > 0 && { changes: later }),
  };
}

function begun(when: z.output<typeof constraint>, checked: string): boolean {
  return when.type === 'start_date' && when.start_date.slice(0, 10) <= checked;
}

function whenOf(when: z.output<typeof constraint>) {
  if (when.type === 'start_date') return { from: when.start_date.slice(0, 10) };
  return { daily: [hoursOf(when.start_time), hoursOf(when.end_time)] as [string, string] };
}

function hoursOf(time: string): string {
  if (!/^\d\d:\d\d(:00)?Z$/.test(time)) throw new Error(`a time of day that is not in whole minutes of UTC: ${time}`);
  return time.slice(0, 5);
}

/** Null without a price of input. A model without one of output makes embeddings. */
function ratesOf({ input_mtok, output_mtok, cache_read_mtok, cache_write_mtok }: PerMillion): FileRates | null {
  const fields = { input: input_mtok, output: output_mtok, cacheRead: cache_read_mtok, cacheWrite: cache_write_mtok };
  if (input_mtok === undefined) return null;
  const given = Object.entries(fields).flatMap(([key, value]) => (value === undefined ? [] : [[key, value] as const]));
  const starts = given.flatMap(([, value]) => (typeof value === 'number' ? [] : value.tiers.map(({ start }) => start)));
  const steps = [...new Set(starts)];
  if (steps.length > 1)
    throw new Error(`prices with more than one step by the length of the prompt: ${steps.join(', ')}`);
  const at = (tokens: number) => Object.fromEntries(given.map(([key, value]) => [key, priceAt(value, tokens)]));
  const [step] = steps;
  return { ...at(0), ...(step !== undefined && { long: { aboveTokens: step, ...at(step + 1) } }) } as FileRates;
}

function priceAt(value: z.output<typeof tiered>, tokens: number): number {
  if (typeof value === 'number') return value;
  return value.tiers.findLast(({ start }) => tokens > start)?.price ?? value.base;
}

/** The table keeps prices of longer prompts than a model takes today. */
function withoutUnreachable(rates: FileRates | null, contextWindow = Infinity): FileRates | null {
  if (rates?.long === undefined || rates.long.aboveTokens < contextWindow) return rates;
  const { long: _, ...reachable } = rates;
  return reachable;
}

/** Only whole names: the table's rules also take the beginnings of names, under which a newer model with another price can fall. */
function namesIn(match: unknown): string[] {
  if (typeof match !== 'object' || match === null) return [];
  return Object.entries(match).flatMap(([rule, value]: [string, unknown]) => {
    if (rule === 'or' && Array.isArray(value)) return value.flatMap(namesIn);
    if (rule === 'equals' || rule === 'starts_with')
      return typeof value === 'string' ? [value.replace(/[@-]$/, '')] : [];
    return [];
  });
}

/** The value of the first array in the code that lists providers. */
function literalsOf(code: string): unknown {
  const program = parse(code, { ecmaVersion: 'latest', sourceType: 'module' });
  for (const statement of program.body) {
    if (statement.type !== 'VariableDeclaration') continue;
    for (const { init } of statement.declarations) {
      if (init?.type !== 'ArrayExpression' || init.elements[0]?.type !== 'ObjectExpression') continue;
      const keys = init.elements[0].properties.map((property) =>
        property.type === 'Property' ? nameOf(property.key) : '',
      );
      if (keys.includes('models')) return valueOf(init);
    }
  }
  throw new Error('there is no table of models in it');
}

function valueOf(node: AnyNode | null): unknown {
  switch (node?.type) {
    case 'Literal':
      return node.value;
    case 'TemplateLiteral':
      return node.expressions.length === 0 ? node.quasis[0]?.value.cooked : refuse(node);
    case 'UnaryExpression':
      return node.operator === '!'
        ? !valueOf(node.argument)
        : node.operator === '-'
          ? -Number(valueOf(node.argument))
          : refuse(node);
    case 'ArrayExpression':
      return node.elements.map(valueOf);
    case 'ObjectExpression':
      return Object.fromEntries(
        node.properties.map((each) =>
          each.type === 'Property' ? [nameOf(each.key), valueOf(each.value)] : refuse(each),
        ),
      );
    default:
      return refuse(node);
  }
}

function nameOf(key: Expression | AnyNode): string {
  if (key.type === 'Identifier') return key.name;
  return key.type === 'Literal' ? String(key.value) : refuse(key);
}

function refuse(node: AnyNode | null): never {
  throw new Error(`its table is not plain data: ${node?.type ?? 'a gap'}`);
}
