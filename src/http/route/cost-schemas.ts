/** Until its users are operations. */
import * as rows from '../../operations/cost-rows.ts';
import * as schemas from '../../operations/schemas.ts';

export const costParts = rows.costParts(schemas);
export const tokenCounts = rows.tokenCounts(schemas);
