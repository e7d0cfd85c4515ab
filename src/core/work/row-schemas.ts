/** Schemas that answers of the API and events share. */
import { z } from 'zod';
import { FULL_ID } from './id-reference.ts';
import { WORK_STATES } from './work.ts';

/** The id of a row. */
export const rowId = () =>
  z.string().regex(FULL_ID, 'expected an id, as in 01900000-0000-7000-8000-000000000000').meta({ format: 'uuid' });

/** The state of a work item. */
export const WORK_STATE = z.enum(WORK_STATES).meta({ id: 'WorkState' });

/** A time that is sent as a text: ISO 8601, UTC. */
export const timeText = () => z.string().meta({ format: 'date-time' });
