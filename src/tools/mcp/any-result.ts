import type { StandardSchemaV1 } from '@modelcontextprotocol/client';
import { isObject, type JsonObject } from './tool-definition.ts';

/** In place of the SDK's schema of a result, which takes a minute for some hundred thousand parts. Its reader takes nothing for granted. */
export const ANY_RESULT: StandardSchemaV1<unknown, JsonObject> = {
  '~standard': {
    version: 1,
    vendor: 'animus',
    validate: (value) => ({ value: isObject(value) ? value : {} }),
  },
};
