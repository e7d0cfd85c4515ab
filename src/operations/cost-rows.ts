/** What answers say beside a sum of costs, and of tokens. */
import type { Schemas } from './schemas.ts';

export const costParts = ({ z }: Schemas) => ({
  unpriced_calls: z
    .number()
    .describe('calls and lost requests whose cost is not known, which the sum does not include'),
  estimated_usd: z.number().describe('of the sum: answers whose tokens the provider did not count'),
  lost_usd: z.number().describe('of the sum: requests that returned nothing, and may have cost that'),
});

export const tokenCounts = ({ z }: Schemas) => ({
  input_tokens: z.number().nullable().describe('null: those of no call were counted'),
  output_tokens: z.number().nullable().describe('null: those of no call were counted'),
  uncounted_calls: z.number().describe('calls whose tokens nobody counted, which the sums do not include'),
});
