import { visibleText } from '@quarterdeck/protocol'
import { memo, type ReactNode } from 'react'
import { BlockView } from './block-view.tsx'
import { parseMarkdown } from './blocks.ts'
import { fenceJson } from './fence-json.ts'
import { TextRendererContext } from './text-renderer-context.ts'

interface MarkdownProps {
  readonly text: string
  /** Draws the words between the marks; never those of code or of an address. Keep it with `useCallback`. */
  readonly renderText?: (text: string) => ReactNode
}

/** A model's text: hostile until shown as words. */
export const Markdown = memo(function Markdown({ text, renderText }: MarkdownProps) {
  return (
    <div className="md">
      <TextRendererContext value={renderText ?? null}>
        <BlockView blocks={parseMarkdown(visibleText(fenceJson(text)))} />
      </TextRendererContext>
    </div>
  )
})
