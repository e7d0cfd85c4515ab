/** People and their roles, for operators, and who one is oneself. */
import { z } from 'zod';
import { PERSON_ROLES, SCOPES } from '../../core/work/people.ts';
import { id, time } from '../../operations/schemas.ts';
import { requireListed } from '../../store/people/listed-person.ts';
import { listVisiblePeople, visibleNames } from '../../store/people/people-views.ts';
import { setPerson } from '../../store/people/tokens.ts';
import { requireOperator } from '../../store/views/visible/visible-operated.ts';
import { jsonRoute, type Route } from '../route/route.ts';

export const personName = () => z.string().regex(/^[^\s\p{Cc}]{1,200}$/u);

const person = {
  name: z.string().describe('`*` is everybody who is not listed'),
  role: z.enum(PERSON_ROLES),
  created_at: time(),
  disabled_at: time().nullable(),
};

const showMe = jsonRoute({
  id: 'showMe',
  method: 'GET',
  path: '/me',
  tag: 'people',
  summary: 'The person of the token, with its role and scopes',
  scope: 'read',
  output: z.object({
    person: z.string(),
    actor: z.string().describe('as in `submitted_by` and `decided_by`'),
    role: z.enum(PERSON_ROLES),
    scopes: z.array(z.enum(SCOPES)).readonly(),
    token_id: id().nullable().describe('null: a token of an OIDC issuer'),
    expires_at: time().nullable(),
  }),
  run: ({ visitor }) =>
    Promise.resolve({
      person: visitor.person,
      actor: visitor.actor,
      role: visitor.role,
      scopes: visitor.scopes,
      token_id: visitor.tokenId,
      expires_at: visitor.expiresAt,
    }),
});

const listPeople = jsonRoute({
  id: 'listPeople',
  method: 'GET',
  path: '/people',
  tag: 'people',
  summary: 'The listed people, with their roles; for operators',
  scope: 'decide',
  output: z.object({
    items: z.array(
      z
        .object({ ...person, created_by: z.string(), tokens: z.int().describe('that are accepted') })
        .meta({ id: 'Person' }),
    ),
  }),
  run: async ({ tx }) => {
    await requireOperator(tx);
    return { items: await listVisiblePeople(tx) };
  },
});

const setRoute = jsonRoute({
  id: 'setPerson',
  method: 'PUT',
  path: '/people/{name}',
  tag: 'people',
  summary: 'Add, disable or enable a person, or change their role; for operators, about people who are not operators',
  scope: 'decide',
  params: z.strictObject({ name: personName() }),
  body: z.strictObject({
    role: z.enum(['submitter', 'reader']).optional().describe('only a login of the database makes operators'),
    disabled: z
      .boolean()
      .optional()
      .describe('a disabled person is refused, with all its tokens; without a role, only for people who are listed'),
  }),
  output: z.object(person),
  errors: ['work.invalid', 'work.not_found'],
  run: async ({ tx }, { path, body }) => {
    if (body.role === undefined && body.disabled !== undefined) {
      await requireOperator(tx);
      requireListed(path.name, await visibleNames(tx, path.name));
    }
    return setPerson(tx, path.name, body);
  },
});

export const peopleRoutes: readonly Route[] = [showMe, listPeople, setRoute];
