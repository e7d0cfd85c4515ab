/** Checks that the record of who decided what can be trusted. */
import type { Database } from '../../store/sql/database.ts';
import { missingGuards, powerfulGateways } from '../../store/views/audit/audit-guard.ts';
import { type Finding, fine, note, problem } from '../../terminal/view/finding.ts';

/** The guards of the decisions, and the logins that act for people. It does not read the decisions: `animus audit verify` does. */
export async function examineAudit(db: Database): Promise<readonly Finding[]> {
  const missing = await missingGuards(db);
  // The check of the schema says what to do.
  if (missing === null) return [];
  const powerful = await powerfulGateways(db);
  return [
    missing.length === 0
      ? fine('audit', 'decisions cannot be changed or removed; to check those there are: animus audit verify')
      : problem(
          'audit',
          `the database does not guard the decisions: ${missing.join(', ')} missing or switched off`,
          'run: animus db migrate; then: animus audit verify',
        ),
    ...powerful.map((login) =>
      note(
        'gateway',
        `${login} may act for people, and may also read all work or act as an operator`,
        'give the program a login of its own that is only a member of animus_gateway',
      ),
    ),
  ];
}
