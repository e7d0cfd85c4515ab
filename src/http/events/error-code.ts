/** The code of an error in an answer and in an event. */
import { z } from 'zod';
import { PUBLIC_CODES } from '../../core/errors/public-code.ts';

export const errorCode = z
  .enum(PUBLIC_CODES)
  .describe('a code of docs/errors.md. Branch on it, never on texts; a later version of the server may send others')
  .meta({ id: 'ErrorCode' });
