/** POST /embeddings of OpenAI and POST /api/embed of Ollama: what they refuse, and what they answer. */

type Json = Record<string, unknown>;

/** A mock of a model that makes vectors. A token is four characters here. */
export interface MockEmbeddings {
  /** The vector of a text; default: its length and 1. */
  readonly embed?: (text: string) => readonly number[];
  /** Texts that a request may have; default 2,048. */
  readonly maxTexts?: number;
  /** Tokens that a text may have; default 8,192. */
  readonly maxTokens?: number;
  /** Texts with this in them are refused. */
  readonly forbidden?: string;
}

/** What OpenAI says about a request that it refuses; null: accepted. Other models than text-embedding-3 cannot shorten their vectors. */
export function openAiEmbeddingProblem(body: Json, limits: MockEmbeddings = {}): string | null {
  const { model, input, dimensions } = body;
  for (const key of Object.keys(body)) {
    if (!['model', 'input', 'dimensions', 'encoding_format', 'user'].includes(key))
      return `Unrecognized request argument supplied: ${key}`;
  }
  if (typeof model !== 'string' || model === '') return 'you must provide a model parameter';
  if (dimensions !== undefined && !(Number.isInteger(dimensions) && Number(dimensions) > 0))
    return "Invalid 'dimensions': integer below minimum value.";
  if (dimensions !== undefined && !model.startsWith('text-embedding-3'))
    return 'This model does not support specifying dimensions.';
  if (!Array.isArray(input) || input.length === 0) return "'$.input' is invalid. Please check the API reference.";
  const { maxTexts = 2048, maxTokens = 8192, forbidden } = limits;
  if (input.length > maxTexts) return `'$.input' is invalid: too many, at most ${maxTexts}.`;
  const texts = input as unknown[];
  for (const text of texts) {
    if (typeof text !== 'string' || text === '' || !text.isWellFormed())
      return "'$.input' is invalid: an empty string.";
    if (tokens(text) > maxTokens)
      return `This model's maximum context length is ${maxTokens} tokens, however you requested ${tokens(text)} tokens. Please reduce your prompt.`;
    if (forbidden !== undefined && text.includes(forbidden)) return "'$.input' is invalid: this text is not accepted.";
  }
  if ((texts as string[]).reduce((sum, text) => sum + tokens(text), 0) > 300_000)
    return 'Requested too many tokens, max 300000 tokens per request';
  return null;
}

/** OpenAI's answer, out of order as some servers do; base64 if it was asked for. */
export function openAiEmbeddings(body: Json, { embed = byLength }: MockEmbeddings): Json {
  const input = body['input'] as string[];
  const data = input.map((text, index) => {
    const vector = shortened(embed(text), body['dimensions']);
    return { object: 'embedding', index, embedding: body['encoding_format'] === 'base64' ? base64(vector) : vector };
  });
  const count = input.reduce((sum, text) => sum + tokens(text), 0);
  return {
    object: 'list',
    model: body['model'],
    data: data.toReversed(),
    usage: { prompt_tokens: count, total_tokens: count },
  };
}

/** What Ollama says about a request that it refuses. */
export function ollamaEmbeddingProblem(body: Json, { maxTokens = 8192 }: MockEmbeddings = {}): string | null {
  for (const key of Object.keys(body)) {
    if (!['model', 'input', 'truncate', 'dimensions', 'options', 'keep_alive'].includes(key))
      return `json: unknown field "${key}"`;
  }
  const input: unknown[] = Array.isArray(body['input']) ? body['input'] : [body['input']];
  if (input.some((text) => typeof text !== 'string')) return 'invalid input type';
  if (body['truncate'] === false && (input as string[]).some((text) => tokens(text) > maxTokens))
    return 'input exceeds maximum context length';
  return null;
}

/** Ollama's answer, in the order of the texts. */
export function ollamaEmbeddings(body: Json, { embed = byLength, maxTokens = 8192 }: MockEmbeddings): Json {
  const input = (body['input'] as string[]).map((text) => text.slice(0, maxTokens * 4));
  return {
    model: body['model'],
    embeddings: input.map((text) => shortened(embed(text), body['dimensions'])),
    total_duration: 1,
    load_duration: 1,
    prompt_eval_count: input.reduce((sum, text) => sum + tokens(text), 0),
  };
}

/** Little-endian 32-bit floats. */
export function base64(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  for (const [at, value] of vector.entries()) bytes.writeFloatLE(value, at * 4);
  return bytes.toString('base64');
}

function byLength(text: string): readonly number[] {
  return [text.length, 1];
}

function shortened(vector: readonly number[], dimensions: unknown): readonly number[] {
  return typeof dimensions === 'number' ? vector.slice(0, dimensions) : vector;
}

function tokens(text: string): number {
  return Math.ceil(text.length / 4);
}
