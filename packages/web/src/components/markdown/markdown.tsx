import { parseJson, visibleText } from '@quarterdeck/protocol'
import { memo, type ReactNode } from 'react'
import { BlockView } from './block-view.tsx'
import { parseMarkdown } from './blocks.ts'
import { TextRendererContext } from './inline-view.tsx'

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

/** Shows an answer that is only a JSON object or list as code, with one field per line. */
function fenceJson(text: string): string {
  const formatted = formatJson(text)
  return formatted === null ? text : `\`\`\`json\n${formatted}\n\`\`\``
}

/** `null` if the text contains anything other than JSON. */
function formatJson(text: string): string | null {
  if (!/^\s*[[{]/.test(text)) return null
  const value = parseJson(text)
  if (value === undefined) return null
  // Formatting would change numbers with more digits than a double has.
  return /[\d.]{16}/.test(text) ? text : JSON.stringify(value, null, 2)
}
