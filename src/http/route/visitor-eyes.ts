import type { Eyes } from '../events/eyes.ts';
import { readAsVisitor, readingAs } from '../login/visitor.ts';
import type { Visit } from './route.ts';

/** The rights of a visitor, whose token is checked again at each read. */
export function visitorEyes({ visitor, services }: Pick<Visit, 'visitor' | 'services'>): Eyes {
  const { tokenId, actor, role, expiresAt } = visitor;
  return {
    // Tokens of an OIDC issuer have no id of ours, and end at their own times.
    key: tokenId ?? `${actor} ${role} ${expiresAt?.getTime() ?? ''}`,
    read: (wanted, limit) => readAsVisitor(services.db, visitor, wanted, limit),
    look: (look) => readingAs(services.db, visitor, look),
  };
}
