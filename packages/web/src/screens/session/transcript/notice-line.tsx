import { type NoticeItem, visibleText } from '@quarterdeck/protocol'
import {
  Brain,
  CircleStop,
  CircleX,
  Coins,
  FileClock,
  FoldVertical,
  GitFork,
  Info,
  type LucideIcon,
  RotateCcw,
  ShieldAlert,
  ShieldCheck,
  Timer,
  Undo2,
} from 'lucide-react'
import { ErrorCard } from '../../../components/status/error-card.tsx'

export function NoticeLine({ item }: { readonly item: NoticeItem }) {
  if (item.tone === 'failed') {
    const saved = `every event up to ${item.seq ?? 'here'}. Send a message to continue.`
    return <ErrorCard what="This turn failed" detail={visibleText(item.text)} saved={saved} />
  }
  const Icon = icons[item.kind]
  return (
    <div className="notice" data-tone={item.tone}>
      <Icon className="icon s" aria-hidden="true" />
      <span>{visibleText(item.text)}</span>
    </div>
  )
}

const icons: Readonly<Record<NoticeItem['kind'], LucideIcon>> = {
  retry: Timer,
  fallback: Info,
  model: Info,
  compaction: FoldVertical,
  crash: CircleX,
  recovery: RotateCcw,
  failure: CircleX,
  budget: CircleStop,
  turns: CircleStop,
  'unused-approval': Info,
  security: ShieldAlert,
  mode: ShieldCheck,
  thinking: Brain,
  context: FoldVertical,
  fork: GitFork,
  rewind: Undo2,
  files: FileClock,
  rule: ShieldCheck,
  cost: Coins,
}
