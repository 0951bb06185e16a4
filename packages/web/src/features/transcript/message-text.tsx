import type { TextItem } from '@quarterdeck/protocol'
import { Markdown } from '../../ui/markdown/markdown.tsx'

export function MessageText({ item }: { readonly item: TextItem }) {
  return (
    <div className={item.isStreaming ? 'say streaming' : 'say'}>
      <Markdown text={item.text} />
      {item.discarded !== null && <p className="muted">This text broke off: {item.discarded}</p>}
    </div>
  )
}
