import { visibleText } from '@quarterdeck/protocol'
import { memo, type ReactNode } from 'react'
import { BlockView } from './block-view.tsx'
import { parseMarkdown } from './blocks.ts'
import { fenceJson } from './fence-json.ts'
import { TextRendererContext } from './text-renderer-context.ts'

interface MarkdownProps {
  readonly text: string
  /** Renders plain text outside of code and links. Memoize it with `useCallback`. */
  readonly renderText?: (text: string) => ReactNode
}

/** Renders text from a model. The text is untrusted. */
export const Markdown = memo(function Markdown({ text, renderText }: MarkdownProps) {
  return (
    <div className="md">
      <TextRendererContext value={renderText ?? null}>
        <BlockView blocks={parseMarkdown(visibleText(fenceJson(text)))} />
      </TextRendererContext>
    </div>
  )
})
