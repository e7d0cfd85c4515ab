/** What is recorded of an item, by subject: each has an address. */
import type { ReadonlySignal } from '@preact/signals';
import type { WorkItem } from '../../../client/client.ts';
import { chosenTab, type Tab, Tabs } from '../../ui/tabs.tsx';
import { S } from '../../words/strings.ts';
import type { Live } from './record/live.ts';
import type { ItemRecord } from './record/use-record.ts';
import { ArtifactsTab } from './tabs/artifacts-tab.tsx';
import { BudgetTab } from './tabs/budget-tab.tsx';
import { CallsTab } from './tabs/calls-tab.tsx';
import { ChangesTab } from './tabs/changes-tab.tsx';
import { ChildrenTab } from './tabs/children-tab.tsx';
import { ConversationTab } from './tabs/conversation-tab.tsx';
import { CostTab } from './tabs/cost-tab.tsx';
import { LedgerTab } from './tabs/ledger-tab.tsx';
import { OverviewTab } from './tabs/overview-tab.tsx';
import { SkillsTab } from './tabs/skills-tab.tsx';
import { TurnsTab } from './tabs/turns-tab.tsx';

interface ItemTabsProps {
  readonly item: WorkItem;
  readonly record: ItemRecord;
  readonly live: ReadonlySignal<Live>;
  /** Goes up when something was recorded. */
  readonly revision: number;
  readonly reload: () => void;
}

export function ItemTabs({ item, record, live, revision, reload }: ItemTabsProps) {
  const tabs = tabsOf(record);
  const { id } = item;
  const shown = {
    overview: () => <OverviewTab item={item} record={record} live={live} revision={revision} />,
    conversation: () => <ConversationTab item={item} record={record} live={live} revision={revision} reload={reload} />,
    turns: () => <TurnsTab id={id} record={record} live={live} />,
    calls: () => <CallsTab id={id} record={record} live={live} />,
    ledger: () => <LedgerTab id={id} revision={revision} />,
    children: () => <ChildrenTab id={id} />,
    cost: () => <CostTab id={id} record={record} />,
    artifacts: () => <ArtifactsTab id={id} revision={revision} />,
    changes: () => <ChangesTab id={id} />,
    skills: () => <SkillsTab id={id} revision={revision} />,
    budget: () => <BudgetTab id={id} revision={revision} />,
  } as const;
  return (
    <>
      <Tabs label={S.item.tabs.label} tabs={tabs} />
      {shown[chosenTab(tabs) as keyof typeof shown]()}
    </>
  );
}

function tabsOf({ turns, calls }: ItemRecord): readonly Tab[] {
  const { label: _, ...titles } = S.item.tabs;
  const counts: Readonly<Record<string, number>> = { turns: turns.length, calls: calls.length };
  return Object.entries(titles).map(([name, title]) => ({ name, title, count: counts[name] ?? null }));
}
