import type { StandardSchemaV1 } from '@modelcontextprotocol/client';

type Result = Readonly<Record<string, unknown>>;

/** In place of the SDK's schema of a result, which takes a minute for some hundred thousand parts. Its reader takes nothing for granted. */
export const ANY_RESULT: StandardSchemaV1<unknown, Result> = {
  '~standard': {
    version: 1,
    vendor: 'animus',
    validate: (value) => ({ value: typeof value === 'object' && value !== null ? (value as Result) : {} }),
  },
};
