import type { Inline } from './inline.ts'

/** Links leave the page without telling where from, and always say where they lead. */
export function InlineView({ parts }: { readonly parts: readonly Inline[] }) {
  // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a finished sentence have no other identity
  return parts.map((part, place) => <One key={place} part={part} />)
}

function One({ part }: { readonly part: Inline }) {
  switch (part.type) {
    case 'text':
      return part.text
    case 'code':
      return <code>{part.text}</code>
    case 'strong':
      return (
        <strong>
          <InlineView parts={part.children} />
        </strong>
      )
    case 'em':
      return (
        <em>
          <InlineView parts={part.children} />
        </em>
      )
    case 'del':
      return (
        <del>
          <InlineView parts={part.children} />
        </del>
      )
    case 'link':
      return (
        <a href={part.href} target="_blank" rel="noopener noreferrer">
          <InlineView parts={part.children} />
          {!saysItsHost(part.children, part.host) && <small> ({part.host})</small>}
        </a>
      )
    case 'image':
      return (
        <a href={part.href} target="_blank" rel="noopener noreferrer">
          Picture not loaded: {part.alt || part.href}
          <small> ({part.host})</small>
        </a>
      )
  }
}

const saysItsHost = (children: readonly Inline[], host: string): boolean =>
  children.length === 1 && children[0]?.type === 'text' && children[0].text.replace(/^https?:\/\//, '').startsWith(host)
