/** What waits for a person, and what people have decided. `?ask=ID` is the request that is shown. */
import { place } from '../../model/place.ts';
import { chosenTab, Tabs } from '../../ui/tabs.tsx';
import { S } from '../../words/strings.ts';
import { History } from './history.tsx';
import { KeyList } from './inbox-keys.tsx';
import { Waiting } from './waiting.tsx';
import './inbox.css';

const TABS = [
  { name: 'waiting', title: S.inbox.waiting },
  { name: 'history', title: S.inbox.history },
];

export default function InboxPage() {
  const tab = chosenTab(TABS);
  return (
    <div class={place.value.query.has('ask') ? 'inbox inbox-has-ask' : 'inbox'}>
      <div class="inbox-top">
        <h1 tabIndex={-1}>{S.inbox.title}</h1>
        <KeyList />
      </div>
      <Tabs label={S.inbox.title} tabs={TABS} />
      {tab === 'history' ? <History /> : <Waiting />}
    </div>
  );
}
