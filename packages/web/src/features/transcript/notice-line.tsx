import type { NoticeItem } from '@quarterdeck/protocol'
import { CircleStop, FoldVertical, Info, RotateCcw, Timer } from 'lucide-react'
import { ErrorCard } from '../../ui/error-card.tsx'

export function NoticeLine({ item }: { readonly item: NoticeItem }) {
  if (item.tone === 'failed') {
    const kept = `every event up to ${item.seq ?? 'here'}. Send a message to go on.`
    return <ErrorCard what="This turn failed" detail={item.text} kept={kept} />
  }
  const Icon = iconOf(item)
  return (
    <div className="notice" data-tone={item.tone}>
      <Icon className="icon s" aria-hidden="true" />
      <span>{item.text}</span>
    </div>
  )
}

function iconOf(item: NoticeItem) {
  if (item.tone === 'stopped') return CircleStop
  if (item.tone === 'interrupted') return RotateCcw
  if (item.text.startsWith('Context')) return FoldVertical
  return item.text.includes('Try ') ? Timer : Info
}
