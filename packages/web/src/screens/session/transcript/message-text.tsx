import type { TextItem } from '@quarterdeck/protocol'
import type { ReactNode } from 'react'
import { Markdown } from '../../../components/markdown/markdown.tsx'

export function MessageText({ item, menu }: { readonly item: TextItem; readonly menu: ReactNode }) {
  return (
    <div className="said">
      <div className={item.isStreaming ? 'say streaming' : 'say'}>
        <Markdown text={item.text} />
        {item.discarded !== null && <p className="muted">This text was cut off: {item.discarded}</p>}
      </div>
      {menu}
    </div>
  )
}
