import { toolSummary } from '../../../stores/transcript/tool-call.ts'
import { isWaiting, type TranscriptRow } from '../../../stores/transcript/transcript-rows.ts'

/** Announces finished steps to screen readers, but not each word of a stream. */
export function Announcer({ rows }: { readonly rows: readonly TranscriptRow[] }) {
  const last = rows.findLast((row) => sentenceOf(row) !== null)
  const isAsking = last?.type === 'approval' || last?.type === 'question' || last?.type === 'client-call'
  const sentence = last === undefined ? '' : (sentenceOf(last) ?? '')
  return (
    <>
      <div className="visually-hidden" role="status">
        {isAsking ? '' : sentence}
      </div>
      <div className="visually-hidden" role="alert">
        {isAsking ? sentence : ''}
      </div>
    </>
  )
}

function sentenceOf(row: TranscriptRow): string | null {
  switch (row.type) {
    case 'text':
      return row.item.isStreaming ? null : row.item.text.slice(0, 300)
    case 'tool': {
      if (row.item.status === 'running') return null
      const { name, code } = toolSummary(row.item.toolName, row.item.toolInput)
      return `${name} ${code}: ${row.item.status}`
    }
    case 'approval':
      return isWaiting(row) ? `Approval needed: ${row.item.request.toolName}` : null
    case 'question': {
      const { message, items } = row.item.question
      return isWaiting(row) ? `Question: ${message || items.map(({ question }) => question).join(' ')}` : null
    }
    case 'client-call':
      return isWaiting(row) ? `Waiting for a client: ${row.item.call.toolName}` : null
    case 'turn':
      return row.item.ended.outcome === 'completed' ? 'Turn done' : `Turn ended: ${row.item.ended.outcome}`
    case 'notice':
      return row.item.text
    default:
      return null
  }
}
