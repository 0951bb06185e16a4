import { type ClientCallItem, visibleText } from '@quarterdeck/protocol'
import { AppWindow } from 'lucide-react'
import { useState } from 'react'
import { OutputBlock } from '../../../components/content/output-block.tsx'
import { formatClock } from '../../../components/format/format-time.ts'
import { useNow } from '../../../hooks/use-now.ts'

/** A tool call that a client runs, from the request to its result. */
export function ClientCallLine({ item }: { readonly item: ClientCallItem }) {
  const { call, result, isExpired } = item
  const [isAskedFor, setAskedFor] = useState<boolean | null>(null)
  const isFailed = result?.isError === true || isExpired
  const isOpen = isAskedFor ?? isFailed
  return (
    <div className={isOpen ? `tool open${isFailed ? ' failed' : ''}` : 'tool'}>
      <button type="button" className="tool-head" aria-expanded={isOpen} onClick={() => setAskedFor(!isOpen)}>
        <AppWindow className="icon" aria-hidden="true" />
        <b>{visibleText(call.toolName)}</b>
        <span className="ellipsis grow text-2">
          {call.leader === null ? 'no client yet' : `in ${visibleText(call.leader)}`}
        </span>
        <span className="facts">
          <span>Client tool</span>
          {result === null && !isExpired && <Deadline call={call} />}
          <span className={isFailed ? 'failure' : ''}>{callStatus(item)}</span>
        </span>
      </button>
      {isOpen && (
        <>
          <OutputBlock text={JSON.stringify(call.toolInput, null, 2)} />
          {result !== null && <OutputBlock text={result.output} />}
        </>
      )}
    </div>
  )
}

function callStatus({ result, isExpired }: ClientCallItem): string {
  if (isExpired) return 'no client returned a result in time'
  if (result === null) return 'waiting for the client'
  return result.isError ? 'failed' : `returned by ${visibleText(result.by)}`
}

/** An attached client has until the deadline. Without one, the call waits until `parkedUntil`. */
function Deadline({ call }: { readonly call: ClientCallItem['call'] }) {
  const now = useNow()
  const until = Date.parse(call.deadlineAt) > now ? call.deadlineAt : call.parkedUntil
  return <span>{formatClock(Date.parse(until) - now)} left</span>
}
