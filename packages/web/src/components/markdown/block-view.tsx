import type { MarkdownBlock } from './blocks.ts'
import { InlineView } from './inline-view.tsx'

export function BlockView({ blocks }: { readonly blocks: readonly MarkdownBlock[] }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: blocks are only ever added at the end
  return blocks.map((block, index) => <One key={index} block={block} />)
}

function One({ block }: { readonly block: MarkdownBlock }) {
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
        <tr>
          {block.head.map((cell, column) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other identity
            <th key={column}>
              <InlineView parts={cell} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {block.rows.map((row, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: rows have no other identity
          <tr key={index}>
            {row.map((cell, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: columns have no other identity
              <td key={column}>
                <InlineView parts={cell} />
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

/** A fence marked `diff` gets diff colors. Other languages are not highlighted. */
function CodeView({ language, text }: { readonly language: string; readonly text: string }) {
  if (language !== 'diff' && language !== 'patch') {
    return (
      <pre>
        <code>{text}</code>
      </pre>
    )
  }
  return (
    <pre>
      <code>
        {text.split('\n').map((line, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines of a fence are only ever added at the end
          <span key={index} className={toneOf(line)}>
            {`${line}\n`}
          </span>
        ))}
      </code>
    </pre>
  )
}

function toneOf(line: string): string {
  if (/^(@@|--- |\+\+\+ )/.test(line)) return 'hunk'
  if (line.startsWith('+')) return 'add'
  return line.startsWith('-') ? 'del' : ''
}
