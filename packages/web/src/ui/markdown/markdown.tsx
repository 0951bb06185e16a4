import { visibleText } from '@quarterdeck/protocol'
import { memo } from 'react'
import { BlockView } from './block-view.tsx'
import { parseMarkdown } from './blocks.ts'
import { fenceJson } from './fence-json.ts'

/** A model's text: hostile until shown as words. */
export const Markdown = memo(function Markdown({ text }: { readonly text: string }) {
  return (
    <div className="md">
      <BlockView blocks={parseMarkdown(fenceJson(visibleText(text)))} />
    </div>
  )
})
