import { Bot, FilePen, FilePlus, FileText, Globe, Plug, Search, Terminal, Wrench } from 'lucide-react'
import type { ToolKind } from '../../../stores/transcript/tool-call.ts'

const icons = {
  command: Terminal,
  read: FileText,
  search: Search,
  edit: FilePen,
  write: FilePlus,
  web: Globe,
  mcp: Plug,
  agent: Bot,
  other: Wrench,
} as const

export function ToolIcon({ kind }: { readonly kind: ToolKind }) {
  const Icon = icons[kind]
  return <Icon className="icon" aria-hidden="true" />
}
