/** What a decision about a limit did, as the API and the WebSocket say it. */
import { z } from 'zod';
import { id } from '../../operations/schemas.ts';

export const decidedLimit = z
  .object({
    scope: z.enum(['item', 'root', 'faculty', 'appliance']),
    subject: z.string().describe('the id of the item or root, the name of the faculty, or empty'),
    unit: z.enum(['usd', 'tokens']),
    period: z.enum(['none', 'day', 'month']),
    amount: z.number().nullable().describe('the limit that holds now; null: none applies any more'),
    ends: z.string().meta({ format: 'date-time' }).nullable().describe('until when it holds'),
    items: z.int().describe('how many work items go on or, denied, end'),
    work_items: z.array(id()).describe('the first hundred of them'),
    waiting: z.int().describe('how many wait for the same limit still'),
  })
  .meta({ id: 'DecidedBudget' });
