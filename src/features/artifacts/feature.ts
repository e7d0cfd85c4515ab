/** Files of work: everything that others load of them is named here. Their bytes are a stream (`src/http/artifacts`). */
import type { Feature } from '../feature.ts';

export const artifacts: Feature = {
  name: 'artifacts',
  tags: { artifacts: 'Files of work.' },
  operations: async () => (await import('./operations.ts')).artifactOperations,
};
