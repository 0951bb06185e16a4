import type { InboxItem, SessionStatus } from '@quarterdeck/protocol'
import { formatLimit, formatUsd, visibleText } from '@quarterdeck/protocol'
import { Fragment, type ReactNode, useState } from 'react'
import { Button } from '../../components/controls/button.tsx'
import { formatAge } from '../../components/format/format-time.ts'
import { sessionName } from '../../components/status/session-name.ts'
import { useNow } from '../../hooks/use-now.ts'
import { inboxKey } from '../../stores/server/inbox-store.ts'
import { InboxRow } from './inbox-row.tsx'

interface InboxListProps {
  readonly items: readonly InboxItem[]
  readonly renderOpen: (item: InboxItem) => ReactNode
}

/**
 * Oldest first. Only the oldest item is open; the others open on request, so that people do not decide on a one-line
 * summary.
 */
export function InboxList({ items, renderOpen }: InboxListProps) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set())
  const now = useNow(5000)
  return items.map((item, index) => {
    const key = inboxKey(item)
    if (index === 0 || opened.has(key)) return <Fragment key={key}>{renderOpen(item)}</Fragment>
    return <ClosedItem key={key} item={item} now={now} onOpen={() => setOpened(new Set([...opened, key]))} />
  })
}

interface ClosedItemProps {
  readonly item: InboxItem
  readonly now: number
  readonly onOpen: () => void
}

function ClosedItem({ item, now, onOpen }: ClosedItemProps) {
  const { state, what, action } = summaryOf(item)
  const title = sessionName(item)
  return (
    <InboxRow state={state} title={title} who={item.agentName} what={what} age={formatAge(item.at, now)}>
      <Button variant={['s']} aria-label={`${action}: ${title}`} onClick={onOpen}>
        {action}
      </Button>
    </InboxRow>
  )
}

function summaryOf(item: InboxItem): { readonly state: SessionStatus; readonly what: string; readonly action: string } {
  switch (item.type) {
    case 'approval':
      return { state: 'waiting_approval', what: `Wants to use ${item.approval.toolName}`, action: 'Review' }
    case 'question': {
      const { message, items } = item.question
      const summary = message || items.map(({ question }) => question).join(' ')
      return { state: 'waiting_user', what: visibleText(summary), action: 'Answer' }
    }
    case 'budget': {
      const own = `Spent ${formatUsd(item.spentUsd)} of ${formatLimit(item.limitUsd)}`
      return { state: 'stopped_budget', what: item.isOwnLimit ? own : visibleText(item.reason), action: 'Raise' }
    }
  }
}
