/** What comes with animus: the same places in a clone and in the package. */
import { fileURLToPath } from 'node:url';

/** The directory of the shipped faculties. */
export const SHIPPED_FACULTIES = fileURLToPath(new URL('../../../faculties/', import.meta.url));

/** The directory of the shipped skills. */
export const SHIPPED_SKILLS = fileURLToPath(new URL('../../../skills/', import.meta.url));
