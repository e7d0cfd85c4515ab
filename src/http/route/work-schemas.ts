/** Until its users are operations. */
import * as schemas from '../../operations/schemas.ts';
import * as rows from '../../operations/work-rows.ts';

export const workItem = rows.workItem(schemas);
export const submittedItem = () => rows.submittedItem(schemas);
