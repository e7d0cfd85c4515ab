/** What operators look after: each subject is a tab with an address. */
import { seesAll, whoseMe } from '../../model/session-state.ts';
import { chosenTab, Tabs } from '../../ui/tabs.tsx';
import { S } from '../../words/strings.ts';
import { Audit } from './audit.tsx';
import { DaemonList } from './daemon-list.tsx';
import { Grants } from './grants.tsx';
import { People } from './people/people.tsx';
import { Queues } from './queues.tsx';
import { Schedules } from './schedules.tsx';
import { Webhooks } from './webhooks/webhooks.tsx';
import './operate.css';

/** Those of which everybody sees their own. */
const FOR_ALL = new Set(['webhooks', 'people']);

const SHOWN = {
  queues: () => <Queues />,
  schedules: () => <Schedules />,
  webhooks: () => <Webhooks />,
  people: () => <People />,
  grants: () => <Grants />,
  audit: () => <Audit />,
  daemons: () => <DaemonList />,
} as const;

export default function OperatePage() {
  const tabs = Object.entries(S.operate.tabs)
    .filter(([name]) => seesAll() || FOR_ALL.has(name))
    .map(([name, title]) => ({ name, title }));
  const role = whoseMe()?.role ?? '';
  return (
    <>
      <h1>{S.operate.title}</h1>
      {role !== 'operator' && <p class="faint">{S.operate.role(role)}</p>}
      <Tabs label={S.operate.tabsLabel} tabs={tabs} />
      {SHOWN[chosenTab(tabs) as keyof typeof SHOWN]()}
    </>
  );
}
