import type { MarkdownBlock } from './blocks.ts'
import type { Inline } from './inline.ts'
import { InlineView } from './inline-view.tsx'

export function BlockView({ blocks }: { readonly blocks: readonly MarkdownBlock[] }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only ever added at the end
  return blocks.map((block, index) => <SingleBlock key={index} block={block} />)
}

function SingleBlock({ block }: { readonly block: MarkdownBlock }) {
  switch (block.type) {
    case 'paragraph':
      return (
        <p>
          <InlineView parts={block.lines} />
        </p>
      )
    case 'heading': {
      const Heading = `h${block.level}` as const
      return (
        <Heading>
          <InlineView parts={block.lines} />
        </Heading>
      )
    }
    case 'code':
      return <CodeView language={block.language} text={block.text} />
    case 'list':
      return <List block={block} />
    case 'quote':
      return (
        <blockquote>
          <BlockView blocks={block.blocks} />
        </blockquote>
      )
    case 'table':
      return <Table block={block} />
    case 'rule':
      return <hr />
  }
}

function List({ block }: { readonly block: Extract<MarkdownBlock, { type: 'list' }> }) {
  const items = block.items.map((item, index) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: items are only ever added at the end
    <li key={index}>
      <ItemView blocks={item} />
    </li>
  ))
  return block.isOrdered ? <ol start={block.start}>{items}</ol> : <ul>{items}</ul>
}

/** An item with one paragraph is shown without a `p` element. */
function ItemView({ blocks }: { readonly blocks: readonly MarkdownBlock[] }) {
  const [first, ...rest] = blocks
  if (first?.type !== 'paragraph') return <BlockView blocks={blocks} />
  return (
    <>
      <InlineView parts={first.lines} />
      <BlockView blocks={rest} />
    </>
  )
}

function Table({ block }: { readonly block: Extract<MarkdownBlock, { type: 'table' }> }) {
  return (
    <table>
      <thead>
        <Row cells={block.head} as="th" />
      </thead>
      <tbody>
        {block.rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
          <Row key={index} cells={row} as="td" />
        ))}
      </tbody>
    </table>
  )
}

interface RowProps {
  readonly cells: readonly (readonly Inline[])[]
  readonly as: 'td' | 'th'
}

function Row({ cells, as: Cell }: RowProps) {
  return (
    <tr>
      {cells.map((cell, column) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other identity
        <Cell key={column}>
          <InlineView parts={cell} />
        </Cell>
      ))}
    </tr>
  )
}

/** A fence marked `diff` gets diff colors. Other languages are not highlighted. */
function CodeView({ language, text }: { readonly language: string; readonly text: string }) {
  const isDiff = language === 'diff' || language === 'patch'
  return (
    <pre>
      <code>{isDiff ? text.split('\n').map(diffLine) : text}</code>
    </pre>
  )
}

/** The index is a stable key: lines of a fence are only ever added at the end. */
const diffLine = (line: string, index: number) => (
  <span key={index} className={toneOf(line)}>
    {`${line}\n`}
  </span>
)

function toneOf(line: string): string {
  if (/^(@@|--- |\+\+\+ )/.test(line)) return 'hunk'
  if (line.startsWith('+')) return 'add'
  return line.startsWith('-') ? 'del' : ''
}
