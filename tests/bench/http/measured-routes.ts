/** The routes that are measured, and who asks them for what. */
import type { LoadRequest } from './load.ts';
import type { WebData, WebPerson } from './web-data.ts';

export interface MeasuredRoute {
  readonly name: string;
  /** Of the route of the API. */
  readonly id: string;
  readonly requests: readonly LoadRequest[];
}

/** POST comes last: what it adds would be in the lists of the others. */
export function measuredRoutes({ people, operator }: WebData): readonly MeasuredRoute[] {
  const ofAll = (pathsOf: (person: WebPerson) => readonly string[]): LoadRequest[] => {
    const lists = people.map((one) => pathsOf(one).map((path) => get(path, one)));
    // A request of each person, then the next one of each.
    return lists[0]!.flatMap((_, n) => lists.map((list) => list[n]!));
  };
  return [
    { name: 'GET /work/ID, ended', id: 'showWork', requests: ofAll(({ ended }) => ended.map((id) => `/work/${id}`)) },
    {
      name: 'GET /work/ID, waiting',
      id: 'showWork',
      requests: ofAll(({ waiting }) => waiting.map((id) => `/work/${id}`)),
    },
    { name: 'GET /work, 50 items', id: 'listWork', requests: ofAll(() => ['/work']) },
    { name: 'GET a conversation', id: 'showChat', requests: ofAll(({ chat }) => [chat]) },
    { name: 'GET its 20 messages', id: 'listChatMessages', requests: ofAll(({ chat }) => [`${chat}/messages`]) },
    { name: 'GET /status', id: 'status', requests: [get('/status', operator)] },
    {
      name: 'POST /work',
      id: 'submitWork',
      requests: people.map(({ person, token }) => ({ method: 'POST', path: '/work', person, token, body: NEW })),
    },
  ];
}

const NEW = { faculty: 'writer', description: 'Answer a letter', params: { letter: 1 } };

const get = (path: string, { person, token }: Pick<WebPerson, 'person' | 'token'>): LoadRequest => ({
  method: 'GET',
  path,
  person,
  token,
});
