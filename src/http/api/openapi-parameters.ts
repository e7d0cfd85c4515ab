/** The parameters of the document. */

type Json = Record<string, unknown>;

/** Parameters whose schemas say nothing of themselves. */
const PARAMETERS: Readonly<Record<string, string>> = {
  id: 'The id of what the path names.',
  chat_id: 'The id of the conversation.',
  message_id: 'The id of the message.',
  name: 'The name of what the path names.',
  after: 'The `next` of the page before.',
  limit: 'At most this many.',
  state: 'Only those in this state.',
  faculty: 'Only those of this faculty; in a path, the faculty.',
};

export function describedParameter(name: string, { description, ...schema }: Json): Json {
  // A list is one value, with commas.
  return {
    description: description ?? PARAMETERS[name],
    ...(schema['type'] === 'array' && { style: 'form', explode: false }),
    schema,
  };
}

export const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description: 'A request with the same key and body has its effect once; repetitions get the first answer.',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
};

export const PREFER = {
  name: 'Prefer',
  in: 'header',
  required: false,
  description:
    '`wait=SECONDS`, at most 60: answer when the work has ended, or after that time. Also needs scope `read`.',
  schema: { type: 'string' },
};
