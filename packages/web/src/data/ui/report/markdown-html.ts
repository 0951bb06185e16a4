// Converts the model's Markdown to HTML for a file, with the same parser as the page.
import { visibleText } from '@quarterdeck/protocol'
import { type MarkdownBlock, parseMarkdown } from '../../../components/markdown/blocks.ts'
import type { Inline } from '../../../components/markdown/inline.ts'
import { escapeHtml } from '../../export/to-html.ts'

export const markdownHtml = (markdown: string): string => parseMarkdown(visibleText(markdown)).map(blockHtml).join('\n')

function blockHtml(block: MarkdownBlock): string {
  switch (block.type) {
    case 'paragraph':
      return `<p>${richTextHtml(block.lines)}</p>`
    case 'heading':
      return `<h${block.level}>${richTextHtml(block.lines)}</h${block.level}>`
    case 'code':
      return `<pre><code>${escapeHtml(block.text)}</code></pre>`
    case 'list': {
      const items = block.items.map((item) => `<li>${item.map(blockHtml).join('')}</li>`).join('')
      return block.isOrdered ? `<ol start="${block.start}">${items}</ol>` : `<ul>${items}</ul>`
    }
    case 'quote':
      return `<blockquote>${block.blocks.map(blockHtml).join('')}</blockquote>`
    case 'table': {
      const row = (cells: typeof block.head, tag: 'th' | 'td'): string =>
        `<tr>${cells.map((cell) => `<${tag}>${richTextHtml(cell)}</${tag}>`).join('')}</tr>`
      return `<table>${row(block.head, 'th')}${block.rows.map((cells) => row(cells, 'td')).join('')}</table>`
    }
    case 'rule':
      return '<hr>'
  }
}

const richTextHtml = (parts: readonly Inline[]): string => parts.map(inlineHtml).join('')

/** Links become text: readers of the file cannot judge where they lead. */
function inlineHtml(part: Inline): string {
  switch (part.type) {
    case 'text':
      return escapeHtml(part.text)
    case 'code':
      return `<code>${escapeHtml(part.text)}</code>`
    case 'strong':
    case 'em':
    case 'del':
      return `<${part.type}>${richTextHtml(part.children)}</${part.type}>`
    case 'link':
      return `${richTextHtml(part.children)} (${escapeHtml(part.href)})`
    case 'image':
      return `Image not loaded: ${escapeHtml(part.alt)} (${escapeHtml(part.href)})`
  }
}
