// Rewrites the model's Markdown for a file from the parser of the page, so that every program shows the same.
import { visibleText } from '@quarterdeck/protocol'
import { type MarkdownBlock, parseMarkdown } from '../../../components/markdown/blocks.ts'
import type { Inline } from '../../../components/markdown/inline.ts'
import { codeMarkdown, escapeMarkdown, fence, lineStart } from '../../export/markdown-text.ts'

export const plainMarkdown = (markdown: string): string => blocksText(parseMarkdown(visibleText(markdown)))

const blocksText = (blocks: readonly MarkdownBlock[]): string => blocks.map(blockText).join('\n\n')

function blockText(block: MarkdownBlock): string {
  switch (block.type) {
    case 'paragraph':
      return linesText(block.lines)
    case 'heading':
      return `${'#'.repeat(block.level)} ${oneLine(block.lines)}`
    case 'code':
      return fence(block.text, block.language)
    case 'list':
      return block.items
        .map((item, index) => marked(block.isOrdered ? `${block.start + index}. ` : '- ', blocksText(item)))
        .join('\n')
    case 'quote':
      return blocksText(block.blocks)
        .split('\n')
        .map((line) => `> ${line}`)
        .join('\n')
    case 'table':
      return tableText(block)
    case 'rule':
      return '***'
  }
}

const marked = (mark: string, text: string): string => mark + text.replaceAll('\n', `\n${' '.repeat(mark.length)}`)

function tableText({ head, rows }: Extract<MarkdownBlock, { type: 'table' }>): string {
  const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  // In tables a bar divides cells even in code, unless it is escaped.
  const cell = (parts: readonly Inline[]): string => oneLine(parts).replace(/(?<!\\)\|/g, '\\|')
  return [row(head.map(cell)), row(head.map(() => '---')), ...rows.map((cells) => row(cells.map(cell)))].join('\n')
}

const oneLine = (parts: readonly Inline[]): string => partsText(parts).replace(/\s+/g, ' ').trim()

const linesText = (parts: readonly Inline[]): string => partsText(parts).split('\n').map(lineStart).join('\n')

const partsText = (parts: readonly Inline[]): string => parts.map(partText).join('')

const marks = { strong: '**', em: '*', del: '~~' }

/** Links become text: readers of the file cannot judge where they lead. */
function partText(part: Inline): string {
  switch (part.type) {
    case 'text':
      return escapeMarkdown(part.text)
    case 'code':
      return codeMarkdown(part.text)
    case 'strong':
    case 'em':
    case 'del':
      return `${marks[part.type]}${partsText(part.children)}${marks[part.type]}`
    case 'link': {
      const text = partsText(part.children)
      const address = escapeMarkdown(part.href)
      return address === text || address === `${text}/` ? address : `${text} (${address})`
    }
    case 'image':
      return `Image not loaded: ${escapeMarkdown(part.alt)} (${escapeMarkdown(part.href)})`
  }
}
